import { count } from './count.ts'
import type { Finding } from './finding.ts'

/** The rules that hold in a folder, and what is wrong with them. */
export async function ruleFindings(home: string, folder: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { openExplainer } = await import('../permission/explainer.ts')
  const { policy, warnings } = await openExplainer({ home, workspace: folder, env, sandbox: false })
  const text = `${count(policy.rules.lines.length, 'rule')} in ${folder}; new sessions begin in the mode ${policy.mode}`
  const asks = policy.mode === 'bypass'
  return [
    { status: asks ? 'warn' : 'ok', name: 'rules', text },
    ...warnings.map((warning): Finding => ({ status: 'warn', name: 'rules', text: warning })),
  ]
}

/** Whether commands are confined here, tried for real. */
export async function sandboxFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const { findSandbox } = await import('@troupe/core')
  const { sandbox, text, fix } = await findSandbox({ env })
  if (sandbox !== undefined) return { status: 'ok', name: 'sandbox', text }
  return { status: 'warn', name: 'sandbox', text, ...(fix !== undefined && { fix }) }
}
