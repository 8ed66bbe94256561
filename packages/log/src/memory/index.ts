export { type MemoryBroker, type MemoryOptions, memoryBroker } from './memoryBroker.js';
