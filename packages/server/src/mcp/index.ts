export { createOffer } from './offer.ts'
export { serveOnPort, serveOnStreams } from './serve-offer.ts'
