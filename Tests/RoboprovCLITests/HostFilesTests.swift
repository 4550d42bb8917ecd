import Bluetooth
import Foundation
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("facts about a computer are read from its files") struct HostFilesTests {
  private static let dongle = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.2"

  /// A laptop with a dongle behind a hub, WiFi, and a bluetoothd.
  private static let laptop = [
    "proc/sys/kernel/osrelease": "6.1.0-37-amd64\n", "proc/loadavg": "0.52 0.58 0.59 3/812 4711\n",
    "proc/1/comm": "systemd\n",
    "proc/812/comm": "bluetoothd\n",
    "proc/812/cmdline": "/usr/libexec/bluetooth/bluetoothd\0--noplugin=midi\0",
    "etc/bluetooth/main.conf": "[General]\n# TemporaryTimeout = 30\n[LE]\nAutoconnecttimeout = 16384\n",
    "\(dongle)/idVendor": "0bda\n", "\(dongle)/idProduct": "8771\n",
    "\(dongle)/1-3.2:1.0/bluetooth/hci0/rfkill1/soft": "0\n",
    "\(dongle)/1-3.2:1.0/bluetooth/hci0/rfkill1/hard": "0\n",
    "sys/kernel/debug/bluetooth/hci0/supervision_timeout": "42\n",
    "sys/devices/pci0000:00/0000:00:14.3/net/wlan0/operstate": "up\n",
    "sys/devices/pci0000:00/0000:00:14.3/net/wlan0/wireless/x": "", "sys/class/net/lo/operstate": "unknown\n",
    "var/lib/bluetooth/00:1A:7D:DA:71:13/C4:7C:8D:00:00:01/info": "",
    "var/lib/bluetooth/00:1A:7D:DA:71:13/cache/C4:7C:8D:00:00:02": "",
  ]

  private static let links = [
    "\(dongle)/1-3.2:1.0/bluetooth/hci0/device": "../../../1-3.2:1.0",
    "\(dongle)/1-3.2:1.0/subsystem": "../../../../../../../bus/usb",
    "sys/class/bluetooth/hci0":
      "../../devices/pci0000:00/0000:00:14.0/usb1/1-3/1-3.2/1-3.2:1.0/bluetooth/hci0",
    "sys/class/net/wlan0": "../../devices/pci0000:00/0000:00:14.3/net/wlan0",
    "sys/devices/pci0000:00/0000:00:14.3/net/wlan0/device": "../..",
    "sys/devices/pci0000:00/0000:00:14.3/driver": "../../../bus/pci/drivers/iwlwifi",
  ]

  @Test("a laptop has kernel, bluetoothd, settings, controllers, WiFi and storage")
  func whole() throws {
    try HostRoot.use(Self.laptop, links: Self.links) { root in
      let host = HostFiles(tree: .below(root))
      #expect(host.kernel == .known("6.1.0-37-amd64"))
      #expect(host.load(on: 4) == .known(LoadFacts(average: 0.52, processors: 4)))
      let facts = host.bluetooth
      let command = ["/usr/libexec/bluetooth/bluetoothd", "--noplugin=midi"]
      #expect(facts.daemon == .known(DaemonFacts(command: command, process: 812)))
      #expect(facts.configuration.value?.number("LE", "Autoconnecttimeout") == 16384)
      #expect(facts.configuration.value?.text("General", "TemporaryTimeout") == nil)
      let controller = try #require(facts.controllers.first)
      #expect(controller.name == "hci0" && controller.block == RadioBlock.none)
      #expect(controller.hub == "usb1/1-3")
      #expect(controller.supervisionTimeout == .milliseconds(420))
      #expect(facts.wifi == [WiFiFacts(name: "wlan0", driver: "iwlwifi", isUp: true, usbPath: nil)])
      #expect(facts.storedDevices == .known(1))
    }
  }

  @Test("another computer sends the same facts, with its clock; a greeting of its shell is ignored")
  func sent() throws {
    for files in [Self.laptop, [:], ["etc/bluetooth/main.conf": "[General]\n", "proc/812/comm": "cron\n"]] {
      try HostRoot.use(files, links: files.isEmpty ? [:] : Self.links) { root in
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "echo Welcome to gw3; \(HostFacts.command(below: root))"]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
        let before = Duration.seconds(Date().timeIntervalSince1970)
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let after = Duration.seconds(Date().timeIntervalSince1970)
        let here = HostFiles(tree: .below(root))
        let answer = HostFacts(Array(bytes), from: before, to: after)
        #expect(answer.kernel == here.kernel)
        #expect(answer.bluetooth == .known(here.bluetooth))
        #expect(answer.clockAhead == nil)
        let ahead = HostFacts(Array(bytes), from: before - .seconds(7200), to: after - .seconds(7200))
        let difference = try #require(ahead.clockAhead)
        #expect(difference <= .seconds(7200) && difference >= .seconds(7200) - (after - before))
      }
    }
  }

  @Test("the login shell there, of whatever kind, gets words in one line and no redirection")
  func loginShell() {
    let command = HostFacts.command()
    #expect(command.hasPrefix("exec sh -c 'exec 2>/dev/null; R=$1; "))
    #expect(command.hasSuffix("; true' sh '' /etc/bluetooth/main.conf /sys/class/bluetooth"))
    #expect(!command.contains("\n"))
  }

  @Test(
    "no number in a computer's files ends the diagnosis",
    arguments: [
      "9223372036854775807", "-9223372036854775808", "99999999999999999999", "-1", "1e400", "nan", "",
    ])
  func numbers(number: String) throws {
    var files = Self.laptop
    files["sys/kernel/debug/bluetooth/hci0/supervision_timeout"] = number + "\n"
    files["proc/sys/kernel/osrelease"] = "\(number).\(number)\n"
    files["proc/\(number)/comm"] = "bluetoothd\n"
    files["proc/loadavg"] = "\(number) 1.50 1.25 3/812 4711\n"
    files["etc/bluetooth/main.conf"] =
      "[General]\nTemporaryTimeout=\(number)\n[LE]\nAutoconnecttimeout=\(number)\n"
      + "ConnectionSupervisionTimeout=\(number)\n"
    try HostRoot.use(files, links: Self.links) { root in
      let host = HostFiles(tree: .below(root))
      #expect(host.bluetooth.controllers.first?.supervisionTimeout == nil)
      let facts = HostFacts(
        kernel: host.kernel, isClockSynchronised: .known(true), load: host.load(on: 2),
        bluetooth: .known(host.bluetooth), files: [])
      #expect(host.load(on: 2).value?.average ?? 0 <= 1.5)
      #expect(!Diagnosis(host: facts).service.isEmpty)
    }
    #expect(HostFacts(Array("t \(number)".utf8), from: .zero, to: .zero).clockAhead ?? .zero <= .zero)
  }

  @Test("an empty root yields unknown facts with reasons")
  func empty() throws {
    try HostRoot.use([:]) { root in
      let host = HostFiles(tree: .below(root))
      #expect(host.kernel == .unknown("there is no /proc/sys/kernel/osrelease"))
      #expect(host.load(on: 2) == .unknown("there is no /proc/loadavg"))
      let facts = host.bluetooth
      #expect(facts.daemon == .unknown("the processes cannot be listed (/proc)"))
      #expect(facts.configuration == .known(MainConfiguration()), "bluetoothd has its own values then")
      #expect(facts.controllers.isEmpty && facts.wifi.isEmpty)
      #expect(facts.storedDevices == .unknown("there is no /var/lib/bluetooth"))
    }
  }

  @Test("a file that cannot be read yields an unknown fact")
  func unreadable() throws {
    // A directory replaces the file, because root can read every file.
    try HostRoot.use(["etc/bluetooth/main.conf/x": ""]) { root in
      let configuration = HostFiles(tree: .below(root)).bluetooth.configuration
      #expect(configuration == .unknown("this user cannot read /etc/bluetooth/main.conf"))
    }
  }

  @Test("without a process the systemd unit names the program, and a drop-in overrides it")
  func unit() throws {
    let unit = [
      "proc/1/comm": "systemd\n",
      "lib/systemd/system/bluetooth.service": "[Service]\nExecStart=/usr/libexec/bluetooth/bluetoothd\n",
    ]
    try HostRoot.use(["proc/1/comm": "systemd\n"]) { root in
      let nothing = "there is no visible process and no systemd unit"
      #expect(HostFiles(tree: .below(root)).bluetooth.daemon == .unknown(nothing))
    }
    try HostRoot.use(unit) { root in
      let expected = DaemonFacts(command: ["/usr/libexec/bluetooth/bluetoothd"], process: nil)
      #expect(HostFiles(tree: .below(root)).bluetooth.daemon == .known(expected))
    }
    let dropIn = "[Service]\nExecStart=\nExecStart=/usr/libexec/bluetooth/bluetoothd -P midi\n"
    let changed = unit.merging(["etc/systemd/system/bluetooth.service.d/x.conf": dropIn]) { $1 }
    try HostRoot.use(changed) { root in
      let daemon = try #require(HostFiles(tree: .below(root)).bluetooth.daemon.value)
      #expect(!daemon.loads(plugin: "midi"))
    }
  }

  @Test("the free space of a missing directory is that of its nearest existing parent")
  func storage() throws {
    try HostRoot.use(["home/x": ""]) { root in
      let facts = HostFiles.storage("/home/reports/new", below: root)
      #expect(facts.path == "/home/reports/new" && facts.access == .writable)
      #expect((facts.free.value ?? 0) > 0)
      #expect(HostFiles.storage("/home/x/new", below: root).access == .noDirectory("/home/x"))
    }
    #expect(HostFiles.storage("/proc/reports").free.value == nil, "it has no size")
    try HostRoot.use([:]) { root in
      #expect(!HostFiles(tree: .below(root)).bluetooth.isInKernel)
    }
  }

  @Test(
    "configuration and command line decide which plugins bluetoothd loads",
    arguments: [
      ([], true), (["--noplugin=midi"], false), (["--noplugin=a2dp,midi"], false), (["-P", "midi"], false),
      (["-Pmidi"], false), (["--noplugin", "mi*"], false), (["--noplugin=*"], false),
      (["--noplugin=a2dp"], true),
      (["--plugin=hostname"], false), (["-p", "midi"], true), (["-d"], true),
    ])
  func plugins(_ arguments: [String], _ isLoaded: Bool) {
    let daemon = DaemonFacts(command: ["bluetoothd"] + arguments)
    #expect(daemon.loads(plugin: "midi") == isLoaded)
    #expect(daemon.isDebugging == (arguments == ["-d"]))
  }

  @Test("the command for a setting fits a file that has the key, only its section, or neither")
  func settingCommand() throws {
    for text in ["[LE]\n#X=1\nAutoconnecttimeout=5\n", "[General]\n\n[LE]\n#Autoconnecttimeout=\n", ""] {
      let command = MainConfiguration(text).command(setting: "LE", "Autoconnecttimeout", to: "16384")
      try HostRoot.use(["main.conf": text]) { root in
        let file = root + "/main.conf"
        let local = command.replacing(MainConfiguration.path, with: file).replacing("sudo ", with: "")
          .replacing(" && systemctl restart bluetooth", with: "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", local]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(local)")
        let changed = MainConfiguration(try String(contentsOfFile: file, encoding: .utf8))
        #expect(changed.number("LE", "Autoconnecttimeout") == 16384, "\(local)")
      }
    }
  }

  @Test("consecutive rooms are listed as a range")
  func names() {
    #expect(RoomNameList.text((325...332).map { "Room \($0)" }) == "Room 325–332")
    #expect(
      RoomNameList.text(["Lobby", "Room 1", "Room 2", "Room 9", "Room 10"])
        == "Lobby, Room 1, Room 2, Room 9, Room 10")
    #expect(RoomNameList.text(["A 08", "A 09", "A 10", "B 11", "7", "8", "9"]) == "A 08–10, B 11, 7–9")
    #expect(RoomNameList.text((1...9).map { "R\($0 * 2)" }, atMost: 2) == "R2, R4 and 7 more")
    #expect(RoomNameList.text([]) == "")
  }
}
