import type { ServerTextPairs } from '../../server-texts.ts'

/** Errors of git in the changes panel. */
export const git: ServerTextPairs = [
  ['Git took too long, so it was stopped. Try again, or use a terminal.', 'Git 运行太久，已停止。请重试，或使用终端。'],
  [
    'The disk is full, so git saved nothing. Free some space, then try again.',
    '磁盘已满，Git 没有保存任何内容。请腾出空间后重试。',
  ],
  [
    'Another git command is running in this repository. Wait for it, then try again.',
    '此仓库中正在运行另一个 Git 命令。请等它结束后重试。',
  ],
  [
    'Git does not know your name and email address. Set them with "git config --global user.name" and "git config --global user.email", then commit again.',
    'Git 不知道你的姓名和邮箱。请用“git config --global user.name”和“git config --global user.email”设置，然后重新提交。',
  ],
  ['Nothing is staged. Stage a file first.', '没有暂存任何内容。请先暂存文件。'],
  [
    'This repository needs objects from its remote. Trust the folder, or use a terminal.',
    '此仓库需要从远程获取对象。请信任此文件夹，或使用终端。',
  ],
  [
    'Git is not allowed to write to this repository. Check its owner and permissions, then try again.',
    'Git 无权写入此仓库。请检查其所有者和权限，然后重试。',
  ],
  ['Git failed (exit code {}).', 'Git 失败（退出码 {}）。'],
  [
    'This repository keeps links in its ".git" folder, so nothing was changed. If you know where it comes from, trust the folder.',
    '此仓库的“.git”文件夹中有链接，因此没有更改任何内容。如果你知道它的来源，请信任此文件夹。',
  ],
  ['Git is not installed on this machine.', '此计算机没有安装 Git。'],
  ['This folder is not in a git repository.', '此文件夹不在 Git 仓库中。'],
  [
    'The ".git" of this folder leads to another repository. Trust the folder to use it.',
    '此文件夹的“.git”指向另一个仓库。信任此文件夹后才能使用。',
  ],
  ['The path must be below the folder.', '路径必须在此文件夹之内。'],
]
