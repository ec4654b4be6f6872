import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { recordsIn, textIn } from '../displays/parts/read-fields.ts'
import type { Approval } from './tool-call.ts'

/** Why a person is asked, and what was found in what is to run. */
export function ApprovalFacts({ approval }: { approval: Approval }) {
  const commands = recordsIn(approval.descriptor?.commands)
  // A lone command is what the card above shows.
  const isWorthIt = commands.length > 1 || commands.some((command) => textIn(command['note']) !== undefined)
  return (
    <>
      {approval.requestReason !== undefined && (
        <p className="approval-reason">
          <VisibleText text={translateServerText(approval.requestReason, 'text')} />
        </p>
      )}
      {isWorthIt && (
        <ul className="approval-commands" aria-label={t.inbox.whatItRuns}>
          {commands.map((command, index) => (
            <li key={index}>
              <code>
                <VisibleText text={textIn(command['text']) ?? ''} as="exact" />
              </code>
              {textIn(command['note']) !== undefined && (
                <span>
                  <VisibleText text={translateServerText(textIn(command['note']) ?? '', 'text')} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
