import { ShieldCheck, ShieldX } from 'lucide-react'
import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import type { SandboxInfo } from '../api/rule-info.ts'

/** Whether commands are confined here; loud where they are not. */
export function SandboxNote({ sandbox: { available, text, fix } }: { sandbox: SandboxInfo }) {
  if (available) {
    return (
      <p className="sandbox" data-setting="sandbox">
        <ShieldCheck aria-hidden />
        <span>{translateServerText(text, 'text')}</span>
      </p>
    )
  }
  return (
    <div className="sandbox sandbox-none" role="alert" data-setting="sandbox">
      <ShieldX aria-hidden />
      <div>
        <strong>{t.rules.noSandbox}</strong>
        <p>{translateServerText(text, 'text')}</p>
        {fix !== undefined && (
          <p>
            <b>{t.rules.whatHelps}</b> {t.rules.thenStart(fix)}
          </p>
        )}
      </div>
    </div>
  )
}
