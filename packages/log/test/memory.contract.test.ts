import { memoryBroker } from '../src/memory/index.js';
import { describeBroker } from './contractSuite.js';
import { testDefinitions } from './testDefinitions.js';

const memory = memoryBroker({ definitions: testDefinitions });

describeBroker('the broker in memory', () => ({
  connect: async () => memory.connect(),
  redeliver: () => memory.redeliver(),
}));
