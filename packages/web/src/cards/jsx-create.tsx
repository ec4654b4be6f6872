import { PanelRightOpen } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { isRecord, textIn } from '../api/read-fields.ts'
import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'

const JsxView = lazy(() => import('../content/jsx-view.tsx').then(({ JsxView }) => ({ default: JsxView })))

/** Renders the model's page while it streams. Invalid source is not shown. */
export default function JsxCreateCard({ call }: CardProps) {
  const { panels } = useSessionStore()
  // While streaming, the text is in the `input` field.
  const source = isRecord(call.input) ? textIn(call.input['input']) : textIn(call.input)
  const isMade = call.state === 'output-available'
  if (source === undefined || (!isMade && !call.running)) return <GenericCard call={call} />
  const path = isRecord(call.output) ? textIn(call.output['path']) : undefined
  return (
    <ToolFrame call={call} open keepsOpen>
      <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
        <JsxView
          source={source}
          partial={!isMade}
          actions={
            path !== undefined && (
              <Button
                kind="quiet"
                onClick={() =>
                  panels.open({
                    kind: 'preview',
                    key: path,
                    title: call.title,
                    data: { path, toolCallId: call.toolCallId },
                  })
                }
              >
                <PanelRightOpen aria-hidden />
                {t.panels.openInPanel}
              </Button>
            )
          }
        />
      </Suspense>
    </ToolFrame>
  )
}
