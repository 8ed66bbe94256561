// Who may import whom: section 1 of the design as rules. test/architecture/importRules.test.ts plants one violation per rule.

/** Our packages that a package may import; a package that is not a key here has a rule of its own below. */
const packageMayImport = {
  contracts: [],
  runtime: [],
  log: [],
  history: ['contracts'],
  model: ['contracts'],
  ledger: ['history', 'log', 'contracts'],
  overseer: ['model', 'contracts'],
  revision: ['model', 'contracts'],
  agents: ['model', 'contracts'],
  runs: ['contracts', 'log', 'runtime'],
  client: ['contracts', 'log'],
};

const OURS = '^(packages|services)/';
const OUTSIDE = '^(test|bench|demo|scripts|deploy)/';
const PURE = '(contracts|history|revision)';
/** The pure parts of packages that also have effects, each behind a door of its own: codes and decisions. */
const PURE_PARTS = '^packages/((model|runs)/src/decisions/|agents/src/failureCodes[.]ts$|overseer/src/edits[.]ts$)';

function packageRule([name, allowed]) {
  const others = allowed.length === 0 ? name : [name, ...allowed].join('|');
  return {
    name: `${name}-imports-only-its-own`,
    comment: `packages/${name} imports ${allowed.length === 0 ? 'nothing of ours' : `of ours only ${allowed.join(', ')}`}.`,
    severity: 'error',
    from: { path: `^packages/${name}/src/` },
    // Services, tests and demos have rules of their own, so that one import breaks one rule.
    to: { path: '^packages/', pathNot: `^packages/(${others})/` },
  };
}

module.exports = {
  forbidden: [
    ...Object.entries(packageMayImport).map(packageRule),
    {
      name: 'package-imports-no-service',
      comment: 'A package knows no service; the command line neither.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'service-imports-no-other-service',
      comment: 'Services meet in the log alone, so that each can be deployed, stopped and replaced by itself.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'nobody-imports-the-outside',
      comment: 'Tests, demo, bench and scripts stand above the packages and services, never below. Their tests may use test/support.',
      severity: 'error',
      from: { path: OURS, pathNot: '^(packages|services)/[^/]+/test/' },
      to: { path: OUTSIDE },
    },
    {
      name: 'own-tests-import-test-support-only',
      comment: 'Tests of one package may share the random histories and stories of test/support, nothing else above them.',
      severity: 'error',
      from: { path: '^(packages|services)/[^/]+/test/' },
      to: { path: OUTSIDE, pathNot: '^test/support/' },
    },
    {
      name: 'public-door-only',
      comment: 'A package is entered by its name. A path into its folder passes its door by.',
      severity: 'error',
      from: { path: '^(packages|services)/([^/]+)/' },
      to: { path: OURS, pathNot: '^$1/$2/', dependencyTypes: ['local'] },
    },
    {
      name: 'outside-uses-public-doors',
      comment: 'test/, bench/ and demo/ see what any other program sees.',
      severity: 'error',
      from: { path: '^(test|bench|demo|scripts)/' },
      to: { path: OURS, dependencyTypes: ['local'] },
    },
    {
      name: 'domain-imports-only-pure',
      comment:
        'domain/ decides from facts: of ours it imports contracts, history, revision, pure parts with a door of their own, and its own folder.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/domain/' },
      // adapters/ and other services are named by their own rules.
      to: {
        path: OURS,
        pathNot: [`^packages/${PURE}/`, PURE_PARTS, '^services/$1/src/(domain|adapters)/', '^services/(?!$1/)'],
      },
    },
    {
      name: 'domain-without-libraries',
      comment: 'domain/ touches no clock, no environment, no I/O, and no library that could.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/domain/' },
      // The NATS client and SQLite are named by their own rules; fastest-levenshtein is one pure function.
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
        pathNot: ['^packages/', '^services/', 'node_modules/(@nats-io/|better-sqlite3|.*fastest-levenshtein)'],
      },
    },
    {
      name: 'pure-package-without-effects',
      comment: 'contracts, history, revision and the pure parts of other packages hash bytes and do nothing else with the machine.',
      severity: 'error',
      from: { path: [`^packages/${PURE}/src/`, PURE_PARTS] },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer)$' },
    },
    {
      name: 'adapters-behind-ports',
      comment: 'Use cases and domain speak to ports; service.ts alone chooses the adapter.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/(domain/|handle[^/]*[.]ts$)' },
      to: { path: '/src/adapters/' },
    },
    {
      name: 'nats-client-in-log-only',
      comment: 'One place knows the client library. bench/ measures against the bare client.',
      severity: 'error',
      from: { pathNot: '^(packages/log|bench)/|node_modules' },
      to: { path: 'node_modules/(@nats-io/|nats/)' },
    },
    {
      name: 'sqlite-in-ledger-only',
      comment: 'Embedded state has one owner. Tests may look into its file.',
      severity: 'error',
      from: { pathNot: '^(packages/ledger/|packages/[^/]+/test/|services/[^/]+/test/|test/|bench/)|node_modules' },
      to: { path: 'node_modules/better-sqlite3' },
    },
    {
      name: 'declared-dependency',
      comment:
        'What src/ imports stands in the package.json of its own package, or a deployed folder misses it. The worker is bundled with what it imports.',
      severity: 'error',
      from: { path: '^(packages|services)/[^/]+/src/', pathNot: '^packages/agents/src/worker/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], pathNot: 'node_modules/(@nats-io/|better-sqlite3)' },
    },
    {
      name: 'no-circular',
      comment: 'Two files that import each other are one idea in two places.',
      severity: 'error',
      from: { path: '^(packages|services|test|bench|demo)/' },
      to: { circular: true },
    },
    {
      name: 'could-not-resolve',
      comment: 'A path that leads nowhere, or past the exports of a package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // Without `exclude`: with dist or node_modules excluded no dependency is looked at, and everything is green.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['emend:source', 'types', 'import', 'default'] },
    combinedDependencies: false,
  },
};
