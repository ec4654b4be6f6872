import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openModelServer } from './model-server.ts'
import { startOwner, type ServerProcess } from './server-process.ts'

/** A home with the tools of the crash tests, a workspace beside it, and a model that outlives every server. */
export interface CrashHome {
  home: string
  workspace: string
  start(): Promise<ServerProcess>
  /** Ends whatever it started. */
  close(): Promise<void>
}

export async function openHome(folder: string, config: Record<string, unknown> = {}): Promise<CrashHome> {
  const home = path.join(folder, 'home')
  const workspace = path.join(folder, 'workspace')
  mkdirSync(path.join(home, 'tools'), { recursive: true, mode: 0o700 })
  mkdirSync(workspace)
  const tools = path.join(import.meta.dirname, 'tools')
  for (const name of readdirSync(tools)) copyFileSync(path.join(tools, name), path.join(home, 'tools', name))
  const models = await openModelServer()
  const providers = { crash: { type: 'openai-compatible', baseURL: models.baseURL, apiKey: 'none', models: ['model'] } }
  writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'crash/model', providers, ...config }))
  const started: ServerProcess[] = []
  return {
    home,
    workspace,
    async start() {
      const server = await startOwner(home, workspace)
      started.push(server)
      return server
    },
    async close() {
      for (const server of started) await server.kill('SIGKILL')
      await models.close()
    },
  }
}
