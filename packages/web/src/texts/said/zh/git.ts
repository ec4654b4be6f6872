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
  ['The file has changed since it was shown. Look at it again.', '文件在显示之后已更改。请重新查看。'],
  [
    'Some of these files go through a filter program, such as Git LFS. Trust the folder first.',
    '其中一些文件会经过过滤程序，例如 Git LFS。请先信任此文件夹。',
  ],
  ['What is staged has changed since it was shown. Look at it again.', '暂存的内容在显示之后已更改。请重新查看。'],
  ['The model did not write a message. Try again, or write it yourself.', '模型没有写出提交说明。请重试，或自己写。'],
  [
    'This is not a valid branch name. Use letters, digits, "-", "_" and "/", without spaces.',
    '分支名称无效。请使用字母、数字、“-”、“_”和“/”，不要用空格。',
  ],
  ['There are no changes to stash.', '没有可贮藏的更改。'],
  ['This stash no longer exists.', '此贮藏已不存在。'],
  [
    'There is nothing to revert: these changes are undone or no longer kept.',
    '没有可还原的内容：这些更改已撤销或不再保留。',
  ],
  ['Files have changed since the preview. Look at it again.', '文件在预览之后已更改。请重新查看。'],
  ['it has changed since it was shown', '它在显示之后已更改'],
  ['its path goes through a link', '它的路径经过链接'],
  ['it is a link or a submodule', '它是链接或子模块'],
  ['it is in conflict', '它有冲突'],
]
