import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  // Fonts and character maps of PDF files.
  '.pfb': 'application/octet-stream',
  '.bcmap': 'application/octet-stream',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** Serves the web page's files. Hashed names are immutable. The page itself is always revalidated. */
export function createWebFiles(folder: string): (pathname: string) => Response | undefined {
  return (pathname) => {
    const name = decode(pathname)
    if (name === undefined) return undefined
    const type = name === '/' ? types['.html'] : types[path.extname(name)]
    const bytes = type === undefined ? undefined : readInside(folder, name === '/' ? 'index.html' : name)
    if (type === undefined || bytes === undefined) return name === '/' ? missing() : undefined
    const cache = name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    const headers = new Headers({ 'content-type': type, 'cache-control': cache })
    if (name === '/preview.html') headers.set('content-security-policy', previewPolicy(new TextDecoder().decode(bytes)))
    return new Response(bytes, { headers })
  }
}

/** Returns only regular files whose real path is inside the folder. */
function readInside(folder: string, name: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const root = realpathSync(folder)
    const file = realpathSync(path.join(root, name))
    return file.startsWith(root + path.sep) && statSync(file).isFile() ? readFileSync(file) : undefined
  } catch {
    return undefined
  }
}

function decode(pathname: string): string | undefined {
  try {
    const name = decodeURIComponent(pathname)
    return name.includes('\0') ? undefined : name
  } catch {
    return undefined
  }
}

function missing(): Response {
  return new Response(
    '<!doctype html><title>Troupe</title><p>The page has not been built yet. Run <code>npm start</code>.',
    {
      status: 503,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    },
  )
}

/**
 * Content security policy of the page that shows untrusted markup. It has an opaque origin, so it cannot reach our
 * cookies, storage or routes, and sends no requests. Only the page's own script runs. Code it evaluates runs in the
 * same realm, where connection APIs that no policy covers are removed. The workspace's `frame-src 'self'` limits where
 * the frame can navigate. Known gap: Chromium resolves and connects to a navigation's host before refusing it, so a
 * page can leak a host name.
 */
function previewPolicy(html: string): string {
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
