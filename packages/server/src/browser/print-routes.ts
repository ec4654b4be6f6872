import path from 'node:path'
import { artifactEndpoints } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { implement, type Route } from '../http/route.ts'
import type { Browsers } from './open-browsers.ts'
import { createPrinter, type Printer } from './print-page.ts'

interface PrintOptions {
  home: Pick<Home, 'path'>
  browsers: Pick<Browsers, 'chromium'>
}

export function printRoutes({ home, browsers }: PrintOptions): Route[] {
  let printer: Printer | undefined
  const { 'POST /ai/print': print } = artifactEndpoints
  return implement(
    { 'POST /ai/print': print },
    {
      'POST /ai/print': async ({ body }) => {
        printer ??= createPrinter({ folder: path.join(home.path, 'print'), executable: browsers.chromium })
        const bytes = await printer.print(body)
        const type = body.as === 'pdf' ? 'application/pdf' : 'image/png'
        return new Response(bytes, { headers: { 'content-type': type, 'cache-control': 'no-store' } })
      },
    },
  )
}
