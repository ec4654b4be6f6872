import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** The page's own files. Names with a hash never change; the page itself is always asked for anew. */
export function createWebFiles(folder: string): (pathname: string) => Response | undefined {
  return (pathname) => {
    const name = decode(pathname)
    if (name === undefined) return undefined
    const file = path.join(folder, name === '/' ? 'index.html' : name)
    const inside = path.relative(folder, file)
    if (inside.startsWith('..') || path.isAbsolute(inside)) return undefined
    const type = types[path.extname(file)]
    if (type === undefined || !existsSync(file)) return name === '/' ? missing() : undefined
    const cache = name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    return new Response(readFileSync(file), { headers: { 'content-type': type, 'cache-control': cache } })
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
    '<!doctype html><title>Troupe</title><p>The page was not built yet. Run <code>npm start</code>.',
    {
      status: 503,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    },
  )
}
