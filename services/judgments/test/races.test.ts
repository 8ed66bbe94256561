import { memoryBroker } from '@emend/log/memory';
import { describeRaces } from './races.js';

const memory = memoryBroker();

describeRaces('races in memory', async () => memory.connect());
