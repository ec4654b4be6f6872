export { createMcpService } from './create-mcp-server.ts'
export { serveOverHttp, serveOverStdio } from './serve.ts'
