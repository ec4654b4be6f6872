import { type OptionSpec, optionSpec } from './programs/program.ts'

/** A program that runs another one, and the position of that command in its words. */
export interface Wrapper {
  options: OptionSpec
  /** Number of its own operands before the command: a duration, a lock file, a host. */
  skip: number
  /** `NAME=value` may precede the command. */
  assigns: boolean
  /** The rest is text for a shell, joined by spaces, not a command. */
  script: boolean
  adds: boolean
  /** Does not affect the command, so a rule on the command is enough. */
  transparent: boolean
  remote: boolean
  /** Only these subcommands make it a wrapper (`poetry run`, `docker exec`). */
  verbs?: readonly string[]
}

type Note = 'assigns' | 'script' | 'adds' | 'transparent' | 'remote'

function wrapper(options: string, notes: readonly Note[] = [], skip = 0, verbs?: readonly string[]): Wrapper {
  const has = (note: Note): boolean => notes.includes(note)
  return {
    options: optionSpec(options),
    skip,
    assigns: has('assigns'),
    script: has('script'),
    adds: has('adds'),
    transparent: has('transparent'),
    remote: has('remote'),
    verbs,
  }
}

const containers =
  '-itdPq --interactive --tty --detach --rm --privileged --init --read-only -e= --env= --env-file= -u= --user= -w= --workdir= -v= --volume= -p= --publish= --name= --network= --net= --entrypoint= --mount= --platform= -h= --hostname= -l= --label= -m= --memory= --cpus= --gpus= --pull= --restart= --add-host= --cap-add= --cap-drop= --security-opt= --device= --tmpfs= --ulimit= --shm-size= --pid= --ipc= --userns= --detach-keys= -T -n= -c= --namespace= --container= -f= --file= --no-deps --stdin --project-name='
const sudo =
  '-AbBEeHKklNnPSsiVv -C= -D= -g= -h= -p= -R= -r= -T= -t= -U= -u= --user= --group= --host= --prompt= --chdir= --chroot= --role= --type= --other-user= --close-from= --command-timeout= --preserve-env[=] --non-interactive --stdin --set-home --login --shell --background --askpass --reset-timestamp'

export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    'env',
    wrapper(
      '-i0v --ignore-environment --null --debug -u= --unset= -C= --chdir= -S=! --split-string=! --block-signal[=] --default-signal[=] --ignore-signal[=] --list-signal-handling -P=',
      ['assigns'],
    ),
  ],
  [
    'timeout',
    wrapper('-fpv --foreground --preserve-status --verbose -k= --kill-after= -s= --signal=', ['transparent'], 1),
  ],
  [
    'gtimeout',
    wrapper('-fpv --foreground --preserve-status --verbose -k= --kill-after= -s= --signal=', ['transparent'], 1),
  ],
  ['nice', wrapper('-n= --adjustment= -NUM', ['transparent'])],
  // With `-p`, `-P` and `-u` it changes running processes, like `-p` of chrt and taskset.
  ['ionice', wrapper('-t -c= --class= -n= --classdata= --ignore', ['transparent'])],
  ['nohup', wrapper('', ['transparent'])],
  ['time', wrapper('-apqv -f= --format= -o=> --output=> --portability --verbose --append', ['transparent'])],
  ['command', wrapper('-p', ['transparent'])],
  ['builtin', wrapper('', ['transparent'])],
  ['exec', wrapper('-cl -a=')],
  ['stdbuf', wrapper('-i= -o= -e= --input= --output= --error=', ['transparent'])],
  ['setsid', wrapper('-cfw --ctty --fork --wait')],
  ['chrt', wrapper('-bdfiorv', ['transparent'], 1)],
  ['taskset', wrapper('-c --cpu-list', ['transparent'], 1)],
  [
    'numactl',
    wrapper('-a -H -s -i= --interleave= -m= --membind= -N= --cpunodebind= -C= --physcpubind= -l --localalloc'),
  ],
  [
    'prlimit',
    wrapper(
      '-c[=] -d[=] -e[=] -f[=] -i[=] -l[=] -m[=] -n[=] -q[=] -r[=] -s[=] -t[=] -u[=] -v[=] -x[=] -y[=] -p= --nproc[=] --nofile[=] --as[=] --cpu[=] --fsize[=] --core[=] --data[=] --rss[=] --stack[=]',
    ),
  ],
  ['choom', wrapper('-n= --adjust= -p=')],
  ['cpulimit', wrapper('-fzib -l= --limit= -p= -e= -- --foreground --include-children')],
  ['cgexec', wrapper('-g= --sticky')],
  ['runcon', wrapper('-c -t= -u= -r= -l=', [], 1)],
  ['aa-exec', wrapper('-div -p= --profile= -n=')],
  ['proxychains', wrapper('-q -f=')],
  ['proxychains4', wrapper('-q -f=')],
  ['torsocks', wrapper('-iq')],
  ['chronic', wrapper('-ev')],
  ['ifne', wrapper('-n')],
  ['sg', wrapper('-c=!', ['script'], 1)],
  [
    'start-stop-daemon',
    wrapper(
      '-SKbmo --start --stop --background --make-pidfile -x=! --exec=! -a=! --startas=! -p= --pidfile= -n= -u= -c= -d= --',
      [],
      0,
    ),
  ],
  ['setarch', wrapper('-BFILRSTXZv3')],
  ['linux32', wrapper('-BFILRSTXZv3')],
  ['linux64', wrapper('-BFILRSTXZv3')],
  ['arch', wrapper('-c -32 -64 -e= -d= -arch=')],
  ['caffeinate', wrapper('-dimsu -t= -w=')],
  ['sudo', wrapper(sudo, ['assigns'])],
  ['doas', wrapper('-Lns -a= -C= -u=')],
  ['pkexec', wrapper('--disable-internal-agent --keep-cwd --user=')],
  ['run0', wrapper('--user= -u= --group= -g= --chdir= -D= --setenv= --nice= --unit= --background=')],
  [
    'su',
    wrapper('-flmpP -c=! --command=! -s= --shell= -g= --group= -G= -w= --login --pty --preserve-environment', [], 99),
  ],
  ['runuser', wrapper('-flmpP -c=! --command=! -s= --shell= -g= --group= -G= -u= --user= -w= --login --pty')],
  ['gosu', wrapper('', [], 1)],
  ['su-exec', wrapper('', [], 1)],
  [
    'setpriv',
    wrapper(
      '-d --nnp --no-new-privs --reuid= --regid= --groups= --init-groups --clear-groups --keep-groups --inh-caps= --ambient-caps= --bounding-set= --pdeathsig= --reset-env',
    ),
  ],
  ['chroot', wrapper('--userspec= --groups= --skip-chdir -u= -g=', [], 1)],
  [
    'unshare',
    wrapper(
      '-cfimnprTuUC --fork --mount-proc[=] --map-root-user --map-current-user --user --pid --net --mount --ipc --uts --cgroup --kill-child[=] -R= --root= -w= --wd= -S= -G= --setuid= --setgid=',
    ),
  ],
  [
    'nsenter',
    wrapper(
      '-aCFimnprTuUZ --all --mount[=] --uts[=] --ipc[=] --net[=] --pid[=] --user[=] -t= --target= -S= -G= --root[=] --wd[=]',
    ),
  ],
  ['bwrap', wrapper('')],
  ['firejail', wrapper('--quiet --noprofile --net= --private[=] --profile=')],
  ['fakeroot', wrapper('-uhv -l= -s= -i= -b= --')],
  ['fakechroot', wrapper('')],
  ['proot', wrapper('-0 -r= -b= -w= -q= -v= -R= -S=')],
  [
    'systemd-run',
    wrapper(
      '-Gqrtd --user --system --scope --pty --pipe --wait --collect --no-block --quiet --same-dir --shell -p= --property= -u= --unit= -E= --setenv= --uid= --gid= --slice= --on-active= --working-directory= --description= -M= -H= --nice=',
    ),
  ],
  ['systemd-inhibit', wrapper('--what= --who= --why= --mode= --no-pager')],
  ['dbus-run-session', wrapper('--config-file= --dbus-daemon=')],
  ['dbus-launch', wrapper('--sh-syntax --exit-with-session --autolaunch= --config-file=')],
  ['xvfb-run', wrapper('-alw -n= --server-num= --auto-servernum -s= --server-args= -e= --error-file= -f= -p= --wait=')],
  ['catchsegv', wrapper('')],
  ['eatmydata', wrapper('')],
  ['faketime', wrapper('-fm --exclude-monotonic', [], 1)],
  ['rlwrap', wrapper('-aciNrRvm -f= -H= -p= -s= -C= -D= -S=')],
  ['unbuffer', wrapper('-p')],
  ['strace', wrapper('-cCdfFhikqrtTvVwxyz -a= -b= -e= -E= -I= -o=> -O= -p= -P= -s= -S= -u= -X= -U=')],
  ['ltrace', wrapper('-bcCfhiLrStTV -a= -A= -D= -e= -F= -l= -n= -o=> -p= -s= -u= -w= -x=')],
  [
    'valgrind',
    wrapper('-qv --tool= --leak-check= --log-file= --error-exitcode= --track-origins= --show-leak-kinds= --quiet'),
  ],
  [
    'perf',
    wrapper('-agv -e= -o=> -F= -p= -c= -r= -d -x= --event= --output=>', [], 0, ['stat', 'record', 'trace', 'top']),
  ],
  ['gdb', wrapper('-q --args --batch -ex= -x= --command= -p=')],
  [
    'watch',
    wrapper(
      '-bcdegtpwx -n= --interval= --differences[=] --color --exec --no-title --beep --errexit --chgexit --precise -q= --equexit=',
      ['script'],
    ),
  ],
  [
    'parallel',
    wrapper(
      '-0kuqXm -j= --jobs= -a=< --arg-file=< -I= -n= --max-args= -N= -L= -C= --colsep= --delay= --retries= --timeout= --joblog=> --results=> --tmpdir= --keep-order --will-cite --bar --progress --dry-run --halt= --pipe --block= --null --no-notice --ungroup --linebuffer --line-buffer --tag --verbose --xargs',
      ['script', 'adds'],
    ),
  ],
  [
    'xargs',
    wrapper(
      '-0oprtx -a=< --arg-file=< -d= --delimiter= -E= -I= -J= -L= -n= -P= -R= -s= -S= --max-args= --max-procs= --max-lines= --max-chars= --null --no-run-if-empty --verbose --open-tty --exit --show-limits --replace[=] --eof[=] -i -e -l',
      ['adds'],
    ),
  ],
  [
    'flock',
    wrapper(
      '-enosuxFv -c=! --command=! -E= --conflict-exit-code= -w= --timeout= --wait= --shared --exclusive --nonblock --nb --close --unlock --no-fork --verbose',
      [],
      1,
    ),
  ],
  [
    'script',
    wrapper(
      '-aefqT -c=! --command=! -E= -I= -O= -B= -m= -o= -t[=] --append --flush --quiet --return --log-io= --log-out= --log-in=',
      [],
      99,
    ),
  ],
  ['entr', wrapper('-acdnprsxz', ['adds'])],
  [
    'hyperfine',
    wrapper(
      '-iN -w= --warmup= -r= --runs= -m= -M= -p=! --prepare=! -s=! --setup=! -c=! --cleanup=! --export-json=> --export-markdown=> --export-csv=> -S= --shell= --style= -n= --command-name= -L= --show-output --ignore-failure',
      ['script'],
    ),
  ],
  ['direnv', wrapper('', [], 1, ['exec'])],
  ['cross-env', wrapper('', ['assigns'])],
  ['cross-env-shell', wrapper('', ['assigns', 'script'])],
  ['dotenv', wrapper('-c -e= -f= -p= -v= -o', ['assigns'])],
  ['busybox', wrapper('--install --list --help')],
  ['toybox', wrapper('')],
  [
    'npx',
    wrapper('-yq --yes --no --no-install --quiet -p= --package= -c=! --call=! -w= --workspace= --ignore-existing'),
  ],
  ['pnpx', wrapper('-c -s --silent -p= --package= --shell-mode')],
  ['bunx', wrapper('--bun --silent --verbose -p= --package=')],
  ['uvx', wrapper('-q --from= --with= --python= -p= --index-url= --isolated')],
  ['npm', wrapper('-yq --yes -p= --package= -c=! --call=! -w= --workspace= --prefix= --silent', [], 0, ['exec', 'x'])],
  [
    'pnpm',
    wrapper('-crs --recursive --silent -w -C= --dir= --filter= -F= -p= --package= --parallel --shell-mode', [], 0, [
      'exec',
      'dlx',
    ]),
  ],
  ['yarn', wrapper('-q --quiet --silent -p= --package= --cwd=', [], 0, ['exec', 'dlx'])],
  ['bun', wrapper('--bun --silent', [], 0, ['x'])],
  [
    'uv',
    wrapper(
      '-q --quiet --with= --python= -p= --package= --group= --extra= --env-file= --no-sync --frozen --locked --isolated --all-extras --directory= --project=',
      [],
      0,
      ['run'],
    ),
  ],
  ['poetry', wrapper('-qnvC= --quiet --directory= --no-ansi', [], 0, ['run'])],
  ['pipenv', wrapper('-q --quiet --system', [], 0, ['run'])],
  ['pdm', wrapper('-q -p= -s --no-isolation', [], 0, ['run'])],
  ['hatch', wrapper('-e= -q -v --env=', [], 0, ['run'])],
  ['rye', wrapper('-q -v -p=', [], 0, ['run'])],
  ['pipx', wrapper('--spec= --python= --pip-args= --no-cache --quiet', [], 0, ['run'])],
  ['conda', wrapper('-n= --name= -p= --prefix= --no-capture-output --live-stream --cwd= -v', [], 0, ['run'])],
  ['mamba', wrapper('-n= --name= -p= --prefix= --no-capture-output --live-stream --cwd= -v', [], 0, ['run'])],
  ['bundle', wrapper('--keep-file-descriptors --gemfile=', [], 0, ['exec'])],
  ['rbenv', wrapper('', [], 0, ['exec'])],
  ['pyenv', wrapper('', [], 0, ['exec'])],
  ['nodenv', wrapper('', [], 0, ['exec'])],
  ['asdf', wrapper('', [], 0, ['exec'])],
  ['mise', wrapper('-q --quiet -c=! --command=! -C= --cd= -j= --raw', [], 0, ['exec', 'x'])],
  ['volta', wrapper('--node= --npm= --yarn= --bundled-npm --no-yarn', [], 0, ['run'])],
  ['fnm', wrapper('--using=', [], 0, ['exec'])],
  ['nvm', wrapper('--silent', [], 1, ['exec'])],
  ['op', wrapper('--env-file= --no-masking --account=', [], 0, ['run'])],
  ['doppler', wrapper('-p= -c= -t= --project= --config= --token= --command=!', [], 0, ['run'])],
  ['aws-vault', wrapper('-d= --duration= -n --no-session --region= -s --server', [], 1, ['exec'])],
  ['nix-shell', wrapper('--pure -p= --packages= --run=! --command=! -I= -A= -E= --arg= --argstr=', [], 99)],
  ['nix', wrapper('-c= --command= --impure -f= -I= -E= --expr=', [], 0, ['develop', 'shell', 'run'])],
  [
    'ssh',
    wrapper(
      '-46AaCfGgKkMNnqsTtVvXxYy -B= -b= -c= -D= -E=> -e= -F=< -I= -i= -J= -L= -l= -m= -O= -o= -p= -Q= -R= -S= -W= -w=',
      ['script', 'remote'],
      1,
    ),
  ],
  ['mosh', wrapper('-46an --ssh= --server= --predict= -p= --port=', ['remote'], 1)],
  ['docker', wrapper(containers, ['remote'], 1, ['exec', 'run'])],
  ['podman', wrapper(containers, ['remote'], 1, ['exec', 'run'])],
  ['nerdctl', wrapper(containers, ['remote'], 1, ['exec', 'run'])],
  ['docker-compose', wrapper(containers, ['remote'], 1, ['exec', 'run'])],
  ['kubectl', wrapper(containers, ['remote'], 1, ['exec'])],
  ['oc', wrapper(containers, ['remote'], 1, ['exec'])],
  ['sshpass', wrapper('-ev -p= -f= -d= -P=')],
  ['ssh-agent', wrapper('-acDdks -E= -P= -t= -O=')],
  ['torify', wrapper('')],
  ['logsave', wrapper('-asv', [], 1)],
  ['ccache', wrapper('')],
  ['distcc', wrapper('')],
  ['adb', wrapper('-deTtnx -s=', ['remote', 'script'], 0, ['shell'])],
  ['wsl', wrapper('-d= -u= --cd= -e --exec --', ['remote'])],
  [
    'tmux',
    wrapper('-28CDdlPuvNS= -c= -f= -L= -T= -e= -F= -n= -s= -t= -x= -y= -AdEPX', ['script'], 0, [
      'new-session',
      'new',
      'new-window',
      'neww',
      'split-window',
      'splitw',
      'respawn-pane',
      'respawn-window',
      'run-shell',
      'run',
      'if-shell',
      'popup',
      'display-popup',
      'pipe-pane',
    ]),
  ],
  ['screen', wrapper('-aADdfilLmOqRrUvxX -c= -e= -h= -p= -s= -S= -t= -T=')],
  ['eval', wrapper('', ['script'])],
  ['coproc', wrapper('')],
])

export const shells: ReadonlySet<string> = new Set(
  'sh bash zsh dash ksh ksh93 mksh ash fish csh tcsh rbash hush yash elvish xonsh'.split(' '),
)
export const shellOptions = optionSpec(
  '-abBcCDefghiIklmnpPrsTtuvVxyX -o= -O= --rcfile=< --init-file=< --norc --noprofile --posix --login --restricted --verbose --noediting --command=!',
)

export const interpreters: ReadonlyMap<string, OptionSpec> = new Map(
  Object.entries({
    python: '-bBdEhiIOqsSuvVx -c=! -m= -W= -X=',
    pypy: '-bBdEhiIOqsSuvVx -c=! -m= -W= -X=',
    perl: '-acfhlnpsStTuUvVwWX -e=! -E=! -F= -i -I= -m= -M= -x',
    ruby: '-acdhlnpsSvwWyx -e=! -C= -E= -F= -i -I= -K= -r= -T',
    node: '-hicv -e=! --eval=! -p=! --print=! -r= --require= --import= --loader= --env-file= --input-type= --check --interactive --inspect[=] --test --watch --no-warnings --experimental-strip-types --max-old-space-size[=] --conditions= -C=',
    nodejs: '-hicv -e=! --eval=! -p=! --print=! -r= --require= --import= --loader= --env-file= --input-type=',
    deno: '-Aq --allow-all --ext= --print -p',
    bun: '-e=! --eval=! -p=! --print=! -r= --preload=',
    php: '-aCehilmnqsvwz -r=! -R=! -B=! -E=! -c= -d= -f= -F= -t= -S=',
    lua: '-iv -e=! -l= -E -W',
    luajit: '-iv -e=! -l= -b= -j= -O',
    osascript: '-i -e=! -l= -s=',
    Rscript: '-e=! --vanilla --verbose',
    tclsh: '',
    guile: '-qs -c=! -e= -l= -L=',
    julia: '-qhiv -e=! --eval=! -E=! --print=! -t= --threads= --project[=] -p= -L=',
    swift: '-e=! --',
    elixir: '-e=! --eval=! -r= -S= -pa= -pz=',
    erl: '-noshell -noinput -eval=! -s=',
    groovy: '-e=! -n -p -cp=',
    scala: '-e=!',
    jshell: '-s --feedback=',
    racket: '-e=! --eval=! -f= -t= -l= -r=',
    sbcl: '--noinform --non-interactive --eval=! --load= --script=',
    emacs: '-Q -q --batch --eval=! -l= --load= --script= -f=',
    pwsh: '-c=! -Command=! -NoProfile -NonInteractive -File= -EncodedCommand=!',
    powershell: '-c=! -Command=! -NoProfile -NonInteractive -File=',
  }).map(([name, line]) => [name, optionSpec(line)]),
)

/** Maps `python3.12` to python and `node20` to node. */
export function interpreterOf(name: string): OptionSpec | undefined {
  return interpreters.get(name) ?? interpreters.get(name.replace(/[\d.]+$/, ''))
}

export const fetchers: ReadonlySet<string> = new Set(
  'curl wget wget2 fetch aria2c axel http https xh curlie lynx w3m links elinks nc ncat netcat socat telnet ftp lftp tftp scp sftp ssh gh aws gsutil gcloud az ipfs rclone dig'.split(
    ' ',
  ),
)
