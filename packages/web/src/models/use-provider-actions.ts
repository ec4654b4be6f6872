import { useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { describeProviderTest } from '../api/provider-info.ts'
import type { ProviderTest } from '../api/provider-info.ts'
import { useWorkspace } from '../workspace.ts'

/** What came of the last thing that was asked for. */
export interface ProviderActionResult {
  ok: boolean
  text: string
}

/** One thing at a time with a provider; afterwards the lists are read anew, whatever came of it. */
export function useProviderActions(onChanged: () => Promise<unknown>) {
  const { api } = useWorkspace()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<ProviderActionResult | null>(null)
  return { busy, outcome, act, test }

  /** `done` is said where the action has nothing to say of its own. */
  function act(done: string, action: () => Promise<unknown>): void {
    setBusy(true)
    setOutcome(null)
    void action()
      .then(
        (result) =>
          setOutcome(
            isTest(result)
              ? { ok: result.ok, text: describeProviderTest(result) }
              : { ok: true, text: resultNote(result) ?? done },
          ),
        (error: unknown) => setOutcome({ ok: false, text: toErrorInfo(error).message }),
      )
      .then(onChanged)
      .finally(() => setBusy(false))
  }

  /** A provider that lists its models only when asked would be without any after a restart: the list is kept. */
  async function test(id: string, { keepsModels = false } = {}): Promise<ProviderTest> {
    const { test: result } = await api.testProvider(id)
    const listed = result.ok ? (result.models ?? []).map((model) => model.id) : []
    if (keepsModels && listed.length > 0) await api.changeProvider(id, { models: listed.slice(0, 1000) })
    return result
  }
}

function resultNote(result: unknown): string | undefined {
  return typeof result === 'object' && result !== null && 'note' in result ? String(result.note) : undefined
}

function isTest(result: unknown): result is ProviderTest {
  return typeof result === 'object' && result !== null && 'ok' in result && 'elapsedMs' in result
}
