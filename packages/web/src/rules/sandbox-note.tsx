import { ShieldCheck, ShieldX } from 'lucide-react'
import { said } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import type { SandboxFacts } from '../api/rule-info.ts'

/** Whether commands are confined here; loud where they are not. */
export function SandboxNote({ sandbox: { available, text, fix } }: { sandbox: SandboxFacts }) {
  if (available) {
    return (
      <p className="sandbox" data-setting="sandbox">
        <ShieldCheck aria-hidden />
        <span>{said(text, 'text')}</span>
      </p>
    )
  }
  return (
    <div className="sandbox sandbox-none" role="alert" data-setting="sandbox">
      <ShieldX aria-hidden />
      <div>
        <strong>{t.rules.noSandbox}</strong>
        <p>{said(text, 'text')}</p>
        {fix !== undefined && (
          <p>
            <b>{t.rules.whatHelps}</b> {t.rules.thenStart(fix)}
          </p>
        )}
      </div>
    </div>
  )
}
