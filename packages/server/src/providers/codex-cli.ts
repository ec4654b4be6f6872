import { existsSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { defineProvider, reasoning } from './shared/provider.ts'

const packageName = 'ai-sdk-provider-codex-cli'
const advice = `it needs the package ${packageName} (about 320 MB). Run: npm install ${packageName}`

/**
 * OpenAI's Codex CLI with the user's own login. Runs its own tools, not ours. The package is never a dependency and
 * loads only if the user installed it.
 */
export default defineProvider({
  name: 'Codex CLI',
  adapter: 'codex-cli',
  familyId: 'Codex',
  env: [],
  needsKey: false,
  models: [
    { id: 'gpt-5.3-codex', name: 'GPT-5.3 Codex', tags: ['chat', 'reasoning', 'code'] },
    { id: 'gpt-5.2-codex', name: 'GPT-5.2 Codex', tags: ['chat', 'reasoning', 'code'] },
  ],
  missing: () => (isInstalled() ? undefined : advice),
  params: () => [
    {
      ...reasoning(['minimal', 'low', 'medium', 'high', 'xhigh']),
      option: { provider: 'codex-cli', key: 'reasoningEffort' },
    },
  ],
  async create() {
    let codex: { createCodexExec(): (modelId: string) => LanguageModelV4 }
    try {
      codex = (await import(packageName)) as typeof codex
    } catch (error) {
      throw new Error(isInstalled() ? `${packageName} could not be loaded: ${String(error)}` : advice, { cause: error })
    }
    return codex.createCodexExec()
  },
})

function isInstalled(): boolean {
  try {
    const found = findPackageJSON(packageName, import.meta.url)
    return found !== undefined && existsSync(found)
  } catch {
    return false
  }
}
