export { addressOf, createCall } from './call.ts'
export type { Call, Send, SendOptions } from './call.ts'
export { ClientError, createClient } from './client.ts'
export type { Client, ClientOptions } from './client.ts'
