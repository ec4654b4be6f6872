import { parentPort, workerData } from 'node:worker_threads'
import { measureHome } from './measure-places.ts'

parentPort?.postMessage(measureHome(workerData as string))
