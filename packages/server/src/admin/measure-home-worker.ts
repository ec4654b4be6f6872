import { parentPort, workerData } from 'node:worker_threads'
import { measureHome } from './measure-home.ts'

parentPort?.postMessage(measureHome(workerData as string))
