import { editText, type Store } from '@troupe/core'
import { errorInfo, type FileEditEvent, fileEditEndpoints, NamedError } from '@troupe/protocol'
import { implement, type Route, streamResponse } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Models } from '../models/models.ts'
import type { Spending } from '../usage/spending.ts'

interface EditRouteOptions {
  store: Store
  models: Pick<Models, 'resolveChatModel'>
  spending: Pick<Spending, 'guard'>
}

/** Each holds a model call. */
const maxAtOnce = 4

/** Lets a model rewrite lines that the person selected. It sees only those and some around them, and writes no file. */
export function editRoutes(options: EditRouteOptions): Route[] {
  let running = 0
  return implement(fileEditEndpoints, {
    'POST /ai/files/edit': async ({ body: { model: wanted, ...edit }, workspaceId }, c) => {
      const { store, models, spending } = options
      const { id, model, definition } = await models.resolveChatModel(wanted)
      if (id.startsWith('demo/'))
        throw new NamedError('NoModel', 'The demo cannot edit files. Connect a model first.', { status: 409 })
      if (running >= maxAtOnce)
        throw new NamedError('TooManyEdits', 'Other edits are still running. Wait for them, or stop them.', {
          status: 429,
        })
      const workspace = await findWorkspace(store, workspaceId)
      const guard = spending.guard({ id, price: definition.price }, workspace)
      return streamResponse(c, (sink) => {
        const stop = new AbortController()
        const send = (event: FileEditEvent): void => void sink.write(`data: ${JSON.stringify(event)}\n\n`)
        let sent = ''
        const onText = (text: string): void => {
          if (text.length <= sent.length || !text.startsWith(sent)) return
          send({ type: 'delta', text: text.slice(sent.length) })
          sent = text
        }
        running++
        editText(edit, model, { signal: stop.signal, guard, onText })
          .then(
            (text) => send({ type: 'done', text }),
            (error: unknown) => {
              if (!stop.signal.aborted) send({ type: 'error', error: errorInfo(error) })
            },
          )
          .finally(() => {
            running--
            if (!stop.signal.aborted) sink.end()
          })
        return () => stop.abort()
      })
    },
  })
}
