import { parentPort, workerData } from 'node:worker_threads'
import { checkDatabase } from './check-database.ts'

// Runs in a worker thread: reading a large database takes seconds, and streams must continue.
parentPort?.postMessage(checkDatabase(workerData as Parameters<typeof checkDatabase>[0]))
