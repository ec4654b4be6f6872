import { isInside } from '../files/resolve-path.ts'
import type { Confinement } from '../permission/decision.ts'

const outsideHint = 'If it cannot do without, run it again with "outside_sandbox": true; the person is asked then.'

const hints: { sign: RegExp; text: (confinement: Confinement) => string }[] = [
  {
    sign: /Read-only file system|EROFS|read-only/i,
    text: (confinement) =>
      confinement === 'read-only'
        ? 'The workspace could not be written, since nobody was asked about this command. If it has to write, run it again with "writes": true; the person is asked then.'
        : `In the sandbox only the workspace and /tmp can be written, and of the workspace not what programs are started by (.git/hooks, .git/config, .vscode, .troupe and the like). ${outsideHint}`,
  },
  {
    sign: /resolve host|ENOTFOUND|EAI_AGAIN|ENOTCACHED|only-if-cached|--offline|from versions: none|GOPROXY=off|network (access|connectivity) is disabled|name resolution|Name or service not known|nodename nor servname|unreachable|ENETUNREACH|ECONNREFUSED|Connection refused|Failed to connect|Could not connect|network (is )?(error|failure|timeout)/i,
    text: () =>
      `The sandbox has no network, and what listens on this machine or in another command cannot be reached from it either. ${outsideHint}`,
  },
  {
    sign: /File size limit exceeded|SIGXFSZ|EFBIG|File too large/i,
    text: () => `In the sandbox no file may be larger than 1 GB. ${outsideHint}`,
  },
  {
    sign: /(\.env|\.pem|\.key|id_(rsa|dsa|ecdsa|ed25519)|credential|secret|\.npmrc|\.netrc)\b[^\n]*(Permission denied|EACCES)|EACCES[^\n]*(\.env|\.pem|\.key)\b/i,
    text: () => `Files with secrets (.env, keys) cannot be read in the sandbox. ${outsideHint}`,
  },
]

const missingFile = /(\/[^\s:'"`]+)['"`]?:? No such file or directory|ENOENT[^\n]*?'(\/[^'\n]+)'/g

/** What the model should know about a command that failed inside the sandbox; nothing where that has no part in it. */
export function sandboxAdvice(printed: string, confinement: Confinement, roots?: readonly string[]): string[] {
  if (confinement === 'none') return []
  const end = printed.slice(-4000)
  const hint = hints.find(({ sign }) => sign.test(end))
  if (hint !== undefined) return [hint.text(confinement)]
  if (roots === undefined) return []
  const missed = [...end.matchAll(missingFile)].map(([, a, b]) => a ?? b ?? '')
  if (missed.every((place) => [...roots, '/tmp'].some((folder) => isInside(place, folder)))) return []
  return [
    `It ran in the sandbox, where of this machine only the workspace and installed programs are there: no home folder, no other files. ${outsideHint}`,
  ]
}
