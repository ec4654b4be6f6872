import { VisibleText } from '../ui/visible-text.tsx'
import { recordsIn, textIn } from '../displays/parts/read-fields.ts'
import type { Approval } from './tool-call.ts'

/** Why a person is asked, and what was found in what is to run. */
export function ApprovalFacts({ approval }: { approval: Approval }) {
  const commands = recordsIn(approval.descriptor?.commands)
  return (
    <>
      {approval.requestReason !== undefined && (
        <p className="approval-reason">
          <VisibleText text={approval.requestReason} />
        </p>
      )}
      {commands.length > 0 && (
        <ul className="approval-commands" aria-label="What it runs">
          {commands.map((command, index) => (
            <li key={index}>
              <code>
                <VisibleText text={textIn(command['text']) ?? ''} as="exact" />
              </code>
              {textIn(command['note']) !== undefined && (
                <span>
                  <VisibleText text={textIn(command['note']) ?? ''} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
