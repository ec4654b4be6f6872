import { createHash } from 'node:crypto'

/**
 * The policy of the page in which markup of others is shown. It has no origin, so no cookie, storage or route of ours is
 * within its reach, and no request leaves it. Only the page's own script is run; whatever it evaluates runs in that one
 * realm, where connections that no policy governs have been taken away. Where the frame itself may be navigated to is
 * governed by the workspace's `frame-src 'self'`. What no policy prevents: Chromium looks up and connects to the host of a
 * navigation before it refuses it, so that a page can let the name of a host be known.
 */
export function previewPolicy(html: string): string {
  const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'sha256-${hash}' 'unsafe-eval'`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'media-src data: blob:',
    'font-src data:',
    "worker-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}
