import { type ReaderRequest, respond } from './read-document.ts'

// The parent sends one request at a time.
process.on('message', (request: ReaderRequest) => {
  void respond(request).then((response) => process.send?.({ ...response, memory: process.memoryUsage.rss() }))
})
