import { spawn } from 'node:child_process'
import { findBash } from './find-bash.ts'

/** Ends what is left of a session when the process that started it dies without a word. */
export interface Warden {
  watch(pid: number): void
  release(pid: number): void
  /** There is nothing left to watch. */
  dismiss(): void
}

// Lives in a session of its own and reads pids until its input ends, which is when our process is gone.
const script = `trap '' HUP INT TERM
groups=' '
while read -r action pid; do
  case $action in
    watch) groups="$groups$pid " ;;
    release) groups="\${groups/ $pid / }" ;;
  esac
done
strays() { [ -d /proc/self ] && grep -lasF -- "TROUPE_TASK=$1." /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done; }
end() { for pid in $groups; do kill "-$1" -- "-$pid"; done; for pid in $(strays "$2"); do kill "-$1" "$pid"; done; }
end TERM "$1"
sleep 1
end KILL "$1"`

export function startWarden(mark: string): Warden {
  const child = spawn(findBash(), ['--noprofile', '--norc', '-c', script, 'troupe-warden', mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  // Without a warden everything works; only a crash would leave something behind until the next start.
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  const tell = (action: string, pid: number): void => void child.stdin.write(`${action} ${pid}\n`)
  return {
    watch: (pid) => tell('watch', pid),
    release: (pid) => tell('release', pid),
    dismiss: () => void child.kill('SIGKILL'),
  }
}
