export { createMcpService } from './offer.ts'
export { serveOverHttp, serveOverStdio } from './serve-offer.ts'
