import { parentPort, workerData } from 'node:worker_threads'
import { convertPage, type PageRequest } from './convert-page.ts'

// A thread of its own: a page can keep a parser busy for minutes, and whoever waits must be able to end it.
parentPort?.postMessage(convertPage(workerData as PageRequest))
