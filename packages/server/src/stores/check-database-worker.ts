import { parentPort, workerData } from 'node:worker_threads'
import { checkDatabase } from './check-database.ts'

// A thread of its own: a large database is read for seconds, and streams of the server go on meanwhile.
parentPort?.postMessage(checkDatabase(workerData as Parameters<typeof checkDatabase>[0]))
