import { Button } from '../ui/button.tsx'
import type { Blocked } from './use-blocked.ts'

/** Why nothing can be sent, with the way out beside it. */
export function BlockedNote({ blocked }: { blocked: Blocked | null }) {
  return (
    <div className="composer-blocked" hidden={blocked === null}>
      <output>{blocked?.text}</output>
      {blocked?.actions.map(({ label, go }, index) => (
        <Button key={label} kind={index === 0 ? 'plain' : 'quiet'} onClick={go}>
          {label}
        </Button>
      ))}
    </div>
  )
}
