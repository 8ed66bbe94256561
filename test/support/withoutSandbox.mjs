// Preloaded into every process of a stack: the services that start workers find themselves on a machine that has no sandbox.
if (/services\/(runner|repair-agent)\//.test(process.argv[1] ?? '')) Object.defineProperty(process, 'arch', { value: 'none' });
