/** Icons that a page may use. The page has their shapes. */
export const iconNames: ReadonlySet<string> = new Set(
  (
    'Accessibility Activity Airplay AlarmClock Anchor Apple Archive ArrowDown ArrowDownRight ArrowLeft ' +
    'ArrowLeftRight ArrowRight ArrowUp ArrowUpDown ArrowUpRight AtSign Atom Award Baby BadgeCheck ' +
    'Banknote Bath Battery BatteryCharging Bed BedDouble Beef Beer Bell BellOff Bike Bird Bluetooth Book ' +
    'BookOpen Bookmark Box Brain Briefcase Brush Bug Building BuildingComplex Bus Cake Calculator ' +
    'Calendar CalendarCheck CalendarClock CalendarDays Camera Candy Car Carrot Cat ChartArea ChartBar ' +
    'ChartColumn ChartColumnIncreasing ChartLine ChartNoAxesColumn ChartNoAxesColumnIncreasing ChartPie ' +
    'Check CheckCheck Cherry ChevronDown ChevronLeft ChevronRight ChevronUp ChevronsLeft ChevronsRight ' +
    'ChevronsUpDown Circle CircleArrowRight CircleCheck CircleCheckBig CircleDot CircleExclamationPoint ' +
    'CirclePlay CirclePlus CircleQuestionMark CircleStop CircleUser CircleUserRound CircleX Clipboard ' +
    'ClipboardCheck ClipboardList Clock Clock3 Clock4 Cloud CloudLightning CloudRain CloudSnow CloudSun ' +
    'Code Coffee Cog Coins Command Compass Copy Cpu CreditCard Crown CupSoda Database Diamond Dna Dog ' +
    'DollarSign Download Droplet Droplets Drumstick Dumbbell Earth Egg EighthNotes Ellipsis ' +
    'EllipsisVertical Euro ExternalLink Eye EyeOff FaceSlightlySmiling FastForward Feather File FileCode ' +
    'FileText Film FingerprintPattern Fish Flag Flame FlaskConical FlaskRound Flower Flower2 Folder ' +
    'FolderOpen Footprints Fuel Funnel Gamepad Gamepad2 Gauge Gem Gift GitBranch GitCommitHorizontal ' +
    'GitMerge GitPullRequest Globe GraduationCap Grid3x3 Hammer Hand HardDrive Hash Headphones Heart ' +
    'HeartPulse Hotel House IceCreamCone Image Inbox Infinity Info Key Keyboard Landmark Languages Laptop ' +
    'Layers LayoutDashboard LayoutGrid Leaf Library Lightbulb Link List ListChecks ListOrdered Loader ' +
    'LoaderCircle Lock LockKeyholeOpen LockOpen LogIn LogOut Mail MailOpen Map MapPin Maximize Maximize2 ' +
    'Medal Megaphone Menu MessageCircle MessageSquare Mic Microscope Minimize Minus Monitor Moon Mountain ' +
    'MousePointer Move Navigation Network Newspaper NotebookPen Orbit Package PackageCheck Palette ' +
    'PanelLeft PanelsTopLeft Paperclip Pause Pen PenLine Pencil Percent Phone PictureInPicture2 PiggyBank ' +
    'Pill Pin Pizza Plane Play Plug Plus Power Printer Puzzle QrCode Quote Rabbit Radar Radio Receipt ' +
    'Recycle RefreshCw Repeat Reply Rocket RotateCcw RotateCcwClock RotateCw Rss Ruler Sailboat Sandwich ' +
    'Satellite Save Scale Scan Scissors Search Send Server Settings Settings2 Share Share2 Shield ' +
    'ShieldCheck ShieldExclamationPoint ShieldX Ship Shirt ShoppingBag ShoppingCart Shuffle Sigma ' +
    'SkipBack SkipForward SlidersHorizontal SlidersVertical Smartphone SmartphoneCharging Snowflake Soup ' +
    'Sparkle Sparkles Speaker Sprout Square SquareCheck SquareCheckBig SquarePen Star Stethoscope ' +
    'StickyNote Store Sun Sunrise Sunset Syringe Table Table2 Tablet Tag Target Telescope Tent Terminal ' +
    'Thermometer ThumbsDown ThumbsUp Ticket Timer ToggleLeft ToggleRight TramFront Trash TreePine Trees ' +
    'TrendingDown TrendingUp Triangle TriangleExclamationPoint Trophy Truck Turtle Tv Type Umbrella Undo ' +
    'Upload User UserCheck UserPlus UserRound UserX Users UsersRound Utensils Video Volume2 VolumeX ' +
    'Wallet WandSparkles Watch WavesHorizontal Wheat Wifi WifiOff Wind Wine Workflow Wrench X Zap ZoomIn ' +
    'ZoomOut'
  ).split(' '),
)

/** Names that the icons had before. */
const iconAliases: Readonly<Record<string, string>> = {
  AlertCircle: 'CircleExclamationPoint',
  AlertTriangle: 'TriangleExclamationPoint',
  AreaChart: 'ChartArea',
  ArrowRightCircle: 'CircleArrowRight',
  BarChart: 'ChartNoAxesColumnIncreasing',
  BarChart2: 'ChartNoAxesColumn',
  BarChart3: 'ChartColumn',
  BarChart4: 'ChartColumnIncreasing',
  Building2: 'BuildingComplex',
  CheckCircle: 'CircleCheckBig',
  CheckCircle2: 'CircleCheck',
  CheckSquare: 'SquareCheckBig',
  CircleAlert: 'CircleExclamationPoint',
  CircleHelp: 'CircleQuestionMark',
  Edit: 'SquarePen',
  Edit2: 'Pen',
  Edit3: 'PenLine',
  Filter: 'Funnel',
  GitCommit: 'GitCommitHorizontal',
  Globe2: 'Earth',
  Grid: 'Grid3x3',
  HelpCircle: 'CircleQuestionMark',
  History: 'RotateCcwClock',
  Home: 'House',
  Layout: 'PanelsTopLeft',
  LineChart: 'ChartLine',
  Loader2: 'LoaderCircle',
  MoreHorizontal: 'Ellipsis',
  MoreVertical: 'EllipsisVertical',
  Music: 'EighthNotes',
  PenSquare: 'SquarePen',
  PieChart: 'ChartPie',
  PlayCircle: 'CirclePlay',
  PlusCircle: 'CirclePlus',
  ShieldAlert: 'ShieldExclamationPoint',
  Sliders: 'SlidersVertical',
  Smile: 'FaceSlightlySmiling',
  StopCircle: 'CircleStop',
  Train: 'TramFront',
  Trash2: 'Trash',
  TriangleAlert: 'TriangleExclamationPoint',
  Unlock: 'LockOpen',
  UnlockKeyhole: 'LockKeyholeOpen',
  UserCircle: 'CircleUser',
  UserCircle2: 'CircleUserRound',
  Wand2: 'WandSparkles',
  Waves: 'WavesHorizontal',
  XCircle: 'CircleX',
}

/** Name of an icon as it is today. `LucideHeart` and `HeartIcon` are names of `Heart`. */
export function iconName(name: string): string {
  const bare = name.replaceAll(/^Lucide(?=[A-Z])|(?<=[a-z\d])Icon$/g, '')
  return Object.hasOwn(iconAliases, bare) ? (iconAliases[bare] as string) : bare
}

export function isIcon(name: string): boolean {
  return iconNames.has(iconName(name))
}
