import { artifactEndpoints } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import type { Printer } from './print-page.ts'

export function printRoutes({ printer }: { printer: Pick<Printer, 'print'> }): Route[] {
  const { 'POST /ai/print': print } = artifactEndpoints
  return implement(
    { 'POST /ai/print': print },
    {
      'POST /ai/print': async ({ body }, c) => {
        const bytes = await printer.print(body, c.req.raw.signal)
        const type = body.as === 'pdf' ? 'application/pdf' : 'image/png'
        return new Response(bytes, { headers: { 'content-type': type, 'cache-control': 'no-store' } })
      },
    },
  )
}
