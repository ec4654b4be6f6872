import { type ChildProcess, spawn } from 'node:child_process'
import { findBash, startProcess } from './start-process.ts'

/** Kills the remaining processes of a session if the process that started them crashes. */
export interface Warden {
  watch(pid: number): void
  release(pid: number): void
  dismiss(): void
}

// Runs in its own session and reads PIDs until its stdin closes, which means that our process is gone.
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

/** `onGone`: it exited or could not be started. */
export function startWarden(mark: string, onGone: () => void = () => undefined): Warden {
  let child: ChildProcess | undefined
  let over = false
  const told: string[] = []
  const started = startProcess('The watching process', () =>
    spawn(findBash(), ['--noprofile', '--norc', '-c', script, 'troupe-warden', mark], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    }),
  )
  started.then(
    (ready) => {
      ready.once('exit', onGone)
      ready.stdin.on('error', () => undefined)
      if (over) return ready.kill('SIGKILL')
      child = ready
      ready.unref()
      ;(ready.stdin as unknown as { unref(): void }).unref()
      return ready.stdin.write(told.join(''))
    },
    // The warden is optional. Without it, a crash leaves processes behind until the next start.
    onGone,
  )
  const tell = (action: string, pid: number): void => {
    const line = `${action} ${pid}\n`
    if (child === undefined) told.push(line)
    else child.stdin?.write(line)
  }
  return {
    watch: (pid) => tell('watch', pid),
    release: (pid) => tell('release', pid),
    dismiss() {
      over = true
      child?.kill('SIGKILL')
    },
  }
}
