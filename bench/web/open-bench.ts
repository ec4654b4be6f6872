import type { ServerOptions } from '@troupe/server'
import { openWorkspace } from '../../packages/web/e2e/testing/open-workspace.ts'
import type { TestWorkspace } from '../../packages/web/e2e/testing/open-workspace.ts'

export async function withWorkspace<Result>(
  options: { models?: ServerOptions['models']; webFolder?: string },
  work: (workspace: TestWorkspace) => Promise<Result>,
): Promise<Result> {
  const [model] = Object.keys(options.models ?? {})
  const workspace = await openWorkspace(process.env['CHROMIUM_PATH'] ?? '', {
    models: options.models,
    ...(options.webFolder !== undefined && { server: { webFolder: options.webFolder } }),
    ...(model !== undefined && { home: { 'config.json': JSON.stringify({ model }) } }),
  })
  try {
    return await work(workspace)
  } finally {
    await workspace.close()
  }
}
