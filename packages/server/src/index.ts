export type { Models } from './models.ts'
export { startServer, version } from './start-server.ts'
export type { Server, ServerOptions } from './start-server.ts'
