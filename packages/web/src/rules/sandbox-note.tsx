import { ShieldCheck, ShieldX } from 'lucide-react'
import type { SandboxFacts } from '../api/rule-info.ts'

/** Whether commands are confined here; loud where they are not. */
export function SandboxNote({ sandbox: { available, text, fix } }: { sandbox: SandboxFacts }) {
  if (available) {
    return (
      <p className="sandbox">
        <ShieldCheck aria-hidden />
        <span>{text}</span>
      </p>
    )
  }
  return (
    <div className="sandbox sandbox-none" role="alert">
      <ShieldX aria-hidden />
      <div>
        <strong>There is no sandbox on this machine</strong>
        <p>{text}</p>
        {fix !== undefined && (
          <p>
            <b>What helps:</b> {fix}. Then start Troupe again.
          </p>
        )}
      </div>
    </div>
  )
}
