import { storeContract } from './contract.ts';
import { openMemoryStore } from './memory.ts';

storeContract('memory', async () => openMemoryStore());
