// The attributes of launch.json, each described once; scripts/manifest.mjs
// writes them into package.json. Names and meanings other than those of
// crashes are Cortex-Debug's, so that its configurations work unchanged.

/**
 * A JSON schema with a description in Markdown.
 * @typedef {{markdownDescription: string, [key: string]: unknown}} Schema
 * @typedef {Record<string, Schema>} Attributes
 */

/** @param {string} markdownDescription @param {object} [more] */
const text = (markdownDescription, more) => ({ type: "string", markdownDescription, ...more });

/** @param {string} markdownDescription @param {object} [more] */
const flag = (markdownDescription, more) => ({ type: "boolean", default: false, markdownDescription, ...more });

/** @param {string} markdownDescription @param {object} [more] */
const texts = (markdownDescription, more) => ({ type: "array", items: { type: "string" }, default: [], markdownDescription, ...more });

/** @param {string} markdownDescription @param {object} [more] */
const address = (markdownDescription, more) => ({ type: ["string", "integer"], markdownDescription, ...more });

/** @param {string} when a phrase: "before the halt" */
const commands = (when) => texts(`Commands of gdb ${when}. They are carried out with no gdb: \`monitor\` and the common verbs; a line that is not known gets a warning.`);

/**
 * The older name of a list of commands.
 * @param {string} now
 */
const renamed = (now) => texts(`Older name of \`${now}\`.`, { deprecationMessage: `Write "${now}".` });

/** @param {string} what @param {object} type */
const ignored = (what, type) => ({ ...type, markdownDescription: `Ignored. ${what}` });

/**
 * ELFs with their places.
 * @param {string} markdownDescription
 */
const images = (markdownDescription) => ({
  type: "array",
  items: {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        required: ["file"],
        properties: {
          file: { type: "string", description: "An ELF." },
          offset: { type: ["string", "integer"], description: "What is added to all its addresses." },
          textaddress: { type: ["string", "integer"], description: "Where its .text lies." },
          sections: {
            type: "array",
            description: "Where other sections lie. An ELF is moved as a whole: all must be moved by the same distance.",
            items: {
              type: "object",
              required: ["name", "address"],
              properties: { name: { type: "string" }, address: { type: ["string", "integer"] } },
            },
          },
        },
      },
    ],
  },
  markdownDescription,
});

const needsGDB = "There is no gdb and no binutils in use.";

/** @type {Attributes} What both kinds of sessions have. */
export const common = {
  program: text("The firmware ELF, the one that runs or was running when it crashed. Relative to `cwd`. `executable` is accepted too. Left out: you are asked at start."),
  executable: text("Other name of `program`, as Cortex-Debug has it."),
  symbolFiles: images(
    'ELFs of the program, the one that counts most first, for symbols instead of `executable`: boot loader and application, secure and non-secure image, symbols of a ROM. Each is a path, or where it runs elsewhere than it was linked `{"file": "app.elf", "offset": "0x10000"}`.',
  ),
  cwd: text("Folder that relative paths start from, and in which source files are looked for by the end of their path. Relative to the workspace folder.", {
    default: "${workspaceFolder}",
  }),
  sourceFileMap: {
    type: "object",
    additionalProperties: { type: "string" },
    default: {},
    markdownDescription:
      'Where source files are now: from a path prefix recorded in the ELF to a folder on this machine, for example `{"/builds/fw": "${workspaceFolder}"}`; the longest prefix wins. Needed only where the automatic match by the end of the path, in `cwd`, finds nothing or the wrong file.',
  },
  substitutePath: {
    type: "array",
    default: [],
    items: {
      type: "object",
      required: ["from", "to"],
      additionalProperties: false,
      properties: {
        from: { type: "string", description: "Path prefix recorded in the ELF." },
        to: { type: "string", description: "Folder on this machine." },
      },
    },
    markdownDescription: 'The same as `sourceFileMap` as a list of `{"from", "to"}`. Both may be given; the list comes first.',
  },
  trace: flag("Write a line for each request of the editor, with the time it took, to the Debug Console."),
};

/** @type {Attributes} What a crash left behind. */
export const crash = {
  coreFile: text(
    "What the crash left behind: a core file, a dump in any format, a text log, raw memory with its address (`ram.bin@0x20000000`), packed or not. Relative to `cwd`. `coreDumpPath` and `coreFilePath` are accepted too. Left out, with no live target named: you are asked at start.",
  ),
  coreDumpPath: text("Other name of `coreFile`, as cppdbg has it."),
  coreFilePath: text("Other name of `coreFile`, as Delve has it."),
  crash: {
    type: "integer",
    minimum: 1,
    markdownDescription: "Number of the crash to open, for a file that holds several: the Debug Console lists them. Left out: the newest of the most complete ones.",
  },
  coreFileBase: address(
    'Address of the first byte of `coreFile`, which is raw memory: `"0x20000000"`. An address behind the name of the file, `ram.bin@0x20000000`, says the same.',
  ),
  with: texts("Further files with parts of the same crash: memory, as in `flash.bin@0x08000000`, or registers as a debugger prints them. Relative to `cwd`."),
  registers: {
    type: "object",
    additionalProperties: { type: ["string", "integer"] },
    default: {},
    markdownDescription: 'Registers of the crashed thread that the files do not have, or have wrong: `{"pc": "0x08001234", "sp": "0x20000f80"}`.',
  },
};

/** @type {Attributes} A live target: what to reach and how to start on it. */
export const live = {
  servertype: text("What serves the target. All but `external` and `bmp` name a program that is started with the session, on free ports, and ended with it.", {
    enum: ["external", "openocd", "jlink", "pyocd", "stutil", "stlink", "bmp", "pe", "qemu"],
    enumDescriptions: [
      "A GDB server that runs already, at the address in gdbTarget.",
      "OpenOCD, with the scripts in configFiles.",
      "SEGGER J-Link GDB Server, for the device in device.",
      "pyOCD.",
      "st-util of the stlink project.",
      "ST-LINK_gdbserver of STM32CubeIDE.",
      "Black Magic Probe, at the serial device in BMPGDBSerialPort.",
      "PEmicro GDB server, for the device in device.",
      "QEMU, which runs the ELF on the machine in machine.",
    ],
  }),
  gdbTarget: text(
    "Where the GDB server listens: `localhost:3333`, `unix:/path/of/socket`, or a serial device such as `/dev/ttyACM0` or `COM3`. Left out where it is needed: you are asked at start.",
  ),
  loadFiles: texts("Files (ELF, Intel HEX, S-records, `raw.bin@0x08000000`) that a launch programs instead of `executable`; `[]` programs nothing. Relative to `cwd`.", { default: null }),
  runToEntryPoint: text("Function at which a launch and a reset stop first. Left out: the program runs on at once, unless `breakAfterReset` keeps it."),
  runToMain: flag('Older form of `"runToEntryPoint": "main"`.', { deprecationMessage: 'Write "runToEntryPoint": "main".' }),
  breakAfterReset: flag("Stay at the first instruction after a launch or a reset. `runToEntryPoint` wins over it."),
  stopAtEntry: flag("Stay at the first instruction after a launch, as cppdbg has it."),
  hardwareBreakpoints: {
    type: "object",
    properties: {
      require: { type: "boolean", description: "Use the comparators of the debug unit only." },
      limit: { type: "integer", minimum: 0, description: "How many there are; 0 for as many as the server grants." },
    },
    markdownDescription: "How the breakpoint comparators of the target are used.",
  },
  hardwareWatchpoints: {
    type: "object",
    properties: {
      require: { type: "boolean", description: "Use the comparators of the debug unit only." },
      limit: { type: "integer", minimum: 0, description: "How many there are; 0 for as many as the server grants." },
    },
    markdownDescription: "How the comparators for data are used.",
  },
  preAttachCommands: commands("before the target is halted by an attach"),
  overrideAttachCommands: commands("instead of those that halt the target at an attach"),
  postAttachCommands: commands("after the target was halted by an attach"),
  preLaunchCommands: commands("before a launch resets and programs the target"),
  overrideLaunchCommands: commands("instead of those that reset and program the target at a launch"),
  postLaunchCommands: commands("after a launch has programmed the target"),
  preResetCommands: commands("before a reset"),
  overrideResetCommands: commands("instead of those that reset the target"),
  postResetCommands: commands("after a reset"),
  postResetSessionCommands: commands("when a reset is complete"),
  postStartSessionCommands: commands("when the session has started, unless it runs to `runToEntryPoint`"),
  overridePreEndSessionCommands: commands("instead of those at the end of the session"),
  preRestartCommands: renamed("preResetCommands"),
  overrideRestartCommands: renamed("overrideResetCommands"),
  postRestartCommands: renamed("postResetCommands"),
  postRestartSessionCommands: renamed("postResetSessionCommands"),
  liveWatch: {
    type: "object",
    properties: { enabled: { type: "boolean", description: "Read memory while the target runs." } },
    markdownDescription: "A second connection to the server, over which memory is read while the target runs.",
  },
  targets: {
    type: "array",
    items: {
      type: "object",
      required: ["gdbTarget"],
      properties: {
        name: { type: "string", description: "What its threads are named after." },
        gdbTarget: { type: "string", description: "Address of its GDB server." },
        executable: { type: "string", description: "Its ELF; those of the configuration when left out." },
        symbolFiles: images("Its ELFs, as `symbolFiles` of the configuration, instead of `executable`."),
      },
    },
    markdownDescription: "Further cores, each with a GDB server of its own. Cores that one server shows as threads need nothing.",
  },
  svdFile: text("CMSIS-SVD description of the device: shows its registers as Peripherals below the variables. The extension mcu-debug.peripheral-viewer reads it from here too."),
  svdPath: text("Other name of `svdFile`."),
  showDevDebugOutput: text("Write the packets to and from the GDB server to the Debug Console: all values but `none` ask for it.", {
    enum: ["none", "parsed", "raw", "both", "vscode"],
    default: "none",
  }),
};

/** @type {Attributes} How a server is started. */
export const server = {
  serverpath: text("The program of the server, or its name on `PATH`. Left out: the setting of Cortex-Debug for the `servertype`, such as `cortex-debug.openocdPath`, else its usual name."),
  serverArgs: texts("Further arguments of the server. They follow all others."),
  env: { type: "object", additionalProperties: { type: "string" }, markdownDescription: "Environment variables of the server." },
  serverCwd: text("Folder in which the server runs; `cwd` when left out."),
  overrideGDBServerStartedRegex: text("What the server prints when it is ready, as a regular expression (RE2), where the usual line does not come."),
  device: text("Name of the target for J-Link and PEmicro, such as `STM32F407VG`. Also used by the peripheral viewer."),
  deviceName: text("Other name of `device`, for the peripheral viewer."),
  interface: text("Wires between probe and target: J-Link, ST-LINK, Black Magic Probe.", { enum: ["swd", "jtag", "cjtag"], default: "swd" }),
  serialNumber: text("Serial number of the probe, where several are connected: J-Link, ST-LINK."),
  ipAddress: text("Address of a J-Link in the network."),
  rtos: text("Operating system whose tasks the server lists as threads: OpenOCD and J-Link. Tasks are found in memory without it."),
  numberOfProcessors: { type: "integer", minimum: 1, maximum: 10, default: 1, markdownDescription: "Number of cores of the target." },
  targetProcessor: { type: "integer", minimum: 0, maximum: 9, default: 0, markdownDescription: "The core to debug, from 0." },
  configFiles: texts("OpenOCD: scripts of interface and target, as with `-f`."),
  searchDir: texts("OpenOCD: folders of scripts, as with `-s`."),
  openOCDPreConfigLaunchCommands: texts("OpenOCD: commands before the scripts, as with `-c`."),
  openOCDLaunchCommands: texts("OpenOCD: commands after the scripts, as with `-c`."),
  jlinkscript: text("J-Link: script file of the target."),
  boardId: text("For pyOCD: identifier of the board or probe, where several are connected."),
  cmsisPack: text("For pyOCD: CMSIS pack with the target."),
  targetId: { type: ["string", "integer"], markdownDescription: "For pyOCD: name of the target. Black Magic Probe: its number, 1 when left out." },
  stlinkPath: text("ST-LINK: the program ST-LINK_gdbserver.", { deprecationMessage: 'Write "serverpath".' }),
  stm32cubeprogrammer: text("ST-LINK: folder of STM32_Programmer_CLI."),
  v1: flag("For st-util: the probe is an ST-LINK/V1."),
  BMPGDBSerialPort: text("Black Magic Probe: serial device of its GDB server, `/dev/ttyACM0`, `/dev/cu.usbmodem...` or `COM3`."),
  powerOverBMP: text("Black Magic Probe: supply the target, or stop to. Left out: as it is.", { enum: ["enable", "disable"] }),
  machine: text("QEMU: the board, `mps2-an385` for example; `lm3s6965evb` when left out."),
  cpu: text("QEMU: the processor; that of the board when left out."),
};

/** @type {Attributes} What configurations of Cortex-Debug have and has no effect. */
export const unused = {
  gdbPath: ignored(needsGDB, { type: "string" }),
  debuggerArgs: ignored(needsGDB, { type: "array" }),
  gdbInterruptMode: ignored(needsGDB, { type: "string" }),
  objdumpPath: ignored(needsGDB, { type: "string" }),
  armToolchainPath: ignored(needsGDB, { type: "string" }),
  toolchainPrefix: ignored(needsGDB, { type: "string" }),
  showDevDebugTimestamps: ignored("There is nothing to time.", { type: "boolean" }),
  rttConfig: ignored("RTT is not read.", { type: "object" }),
  swoConfig: ignored("SWO is not read.", { type: "object" }),
  graphConfig: ignored("Nothing is drawn.", { type: "array" }),
  chainedConfigurations: ignored("Start the other configurations by a compound of launch.json.", { type: "object" }),
  ctiOpenOCDConfig: ignored("An experiment of Cortex-Debug.", { type: "object" }),
};

/** @type {Record<"launch" | "attach", string[]>} Attributes that one kind of request alone has. */
const only = {
  launch: ["loadFiles", "runToMain", "preLaunchCommands", "overrideLaunchCommands", "postLaunchCommands"],
  attach: ["preAttachCommands", "overrideAttachCommands", "postAttachCommands"],
};

/**
 * The attributes of a request.
 * @param {"launch" | "attach"} request
 * @returns {Attributes}
 */
export function attributes(request) {
  const others = request === "launch" ? only.attach : only.launch;
  const all = Object.entries({ ...common, ...crash, ...live, ...server, ...unused });
  return Object.fromEntries(all.filter(([name]) => !others.includes(name)));
}
