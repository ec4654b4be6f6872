/**
 * Programs that may be asked for their version. Not those that let a folder choose which version of them runs (cargo,
 * rustc, go, yarn, pnpm): that would run what the folder brought.
 */
const asked: ReadonlySet<string> = new Set(
  `node npm git bash zsh python python3 pip pip3 ruby perl java javac gcc g++ clang cc make cmake ninja docker podman
  psql mysql sqlite3 redis-cli jq rg fd grep sed awk gawk find tar gzip curl wget openssl ssh gh
  deno lua ffmpeg convert vim nvim tmux systemctl apt dpkg rpm uname ls cat bwrap strace`.split(/\s+/),
)

export function asksVersion(name: string, words: readonly string[]): boolean {
  if (words.length !== 1 || !asked.has(name)) return false
  const [word] = words
  return (
    word === '--version' ||
    (word === '-v' && /^(node|npm|ruby|perl)$/.test(name)) ||
    (word === '-V' && /^(python3?|tmux|ssh|perl)$/.test(name)) ||
    (word === '-version' && /^javac?$/.test(name))
  )
}
