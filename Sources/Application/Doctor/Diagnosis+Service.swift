import Bluetooth
import Model
import Reporting

/// The kernel, the bus and bluetoothd with its settings. The numbers of traps are those of docs/internals/bluez.md.
extension Diagnosis {
  var service: [Finding] {
    [kernel, bus, elsewhere].compactMap(\.self) + daemonFindings + configurationFindings
      + [stored].compactMap(\.self)
  }

  // MARK: The kernel

  private var kernel: Finding {
    switch host.kernel {
    case .unknown(let why): return Finding(.kernel, .note, "The kernel's version is unknown: \(why).")
    case .known(let release):
      // docs/internals/bluez.md, "On another kernel": Debian's 6.1.192 fails as soon as an adapter appears.
      guard release.hasPrefix("6.1.0-56-") else { return Finding(.kernel, .ok, "Kernel \(release).") }
      return Finding(
        .kernel, .warning, "Kernel \(release) fails when an adapter appears.",
        advice: "Install the newest kernel, and restart the computer:",
        command: "sudo apt-get update && sudo apt-get install linux-image-amd64")
    }
  }

  private var kernelVersion: (major: Int, minor: Int)? {
    guard let numbers = host.kernel.value?.split(separator: ".").prefix(2).map({ Int($0, in: 0...999) }),
      numbers.count == 2,
      let major = numbers[0], let minor = numbers[1]
    else { return nil }
    return (major, minor)
  }

  // MARK: The bus

  private var bus: Finding? {
    guard let radio else { return nil }
    if let failure = radio.localFailure {
      return Finding(
        .bus, .note, "This computer has no Bluetooth that can be used\(failure.detail); other hosts have.")
    }
    guard let failure = radio.failure else {
      return Finding(.bus, .ok, "The system bus responds, and this user can use Bluetooth.")
    }
    let detail = failure.detail
    switch failure.code {
    case .busUnavailable:
      return Finding(
        .busUnavailable, .error, "There is no D-Bus system bus, which Bluetooth needs\(detail).",
        advice: "Start it; in a container, mount the host's /run/dbus/system_bus_socket.",
        command: "sudo systemctl start dbus")
    case .stackUnavailable where bluetooth?.isInKernel == false:
      // Debian's unit has ConditionPathIsDirectory=/sys/class/bluetooth.
      return Finding(
        .bluetoothdNotRunning, .error,
        "The Bluetooth service (BlueZ) is not running: systemd does not start it while the kernel has no Bluetooth.",
        advice: "Plug in an adapter. If one is present, load its driver:",
        command: "sudo modprobe btusb && sudo systemctl start bluetooth")
    case .stackUnavailable:
      return Finding(
        .bluetoothdNotRunning, .error, "The Bluetooth service (BlueZ) is not running\(detail).",
        advice: "Start it, or install it with `sudo apt-get install bluez`.",
        command: "sudo systemctl start bluetooth")
    case .permissionDenied:
      // Trap 56.
      return Finding(
        .busPermission, .error, "This user has no permission to use Bluetooth\(detail).",
        advice: "Log in again afterwards.",
        command: "sudo adduser $USER bluetooth")
    default:
      return Finding(
        .bluetoothdSilent, .error,
        "The Bluetooth service does not respond correctly: \(failure.code)\(detail).",
        command: "sudo systemctl restart bluetooth")
    }
  }

  private var elsewhere: Finding? {
    guard case .unknown(let why) = host.bluetooth else { return nil }
    return Finding(
      .hostBluetooth, .note, "bluetoothd's options and settings, chips and USB ports are unknown: \(why).")
  }

  // MARK: bluetoothd

  /// The BLE-MIDI service, which bluetoothd's plugin takes for itself (docs/internals/bluez.md,
  /// "bluetoothd reserves BLE-MIDI").
  private static let midi: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"

  var daemonFindings: [Finding] {
    guard let bluetooth else { return [] }
    guard case .known(let known) = bluetooth.daemon else {
      guard case .unknown(let why) = bluetooth.daemon else { return [] }
      return [line([version, "its options are unknown: \(why)"], .note)]
    }
    guard let daemon = known else {
      return [
        line(
          [version, "its options are unknown: there is no visible process and no systemd unit"], .note
        )
      ]
    }
    let command = daemon.command.joined(separator: " ")
    var findings =
      if let process = daemon.process {
        [line([version, "process \(process): \(command)"], .ok)]
      } else {
        [line([version, "no process is visible to this user", "the systemd unit starts: \(command)"], .note)]
      }
    if daemon.isDebugging {
      // Trap 59: it loses the messages that it cannot process in time.
      findings.append(
        Finding(
          .bluetoothdDebugging, .warning,
          "bluetoothd logs every message (-d) and so loses messages when many devices advertise.",
          command: Self.command(starting: daemon.command.filter { $0 != "-d" && !$0.hasPrefix("--debug") })))
    }
    return findings + [midiPlugin(daemon)].compactMap(\.self)
  }

  /// The service with its version, if the stack reports one.
  private var version: String {
    guard let radio, radio.failure == nil else { return "bluetoothd" }
    return radio.stack ?? "BlueZ, its version is unknown without an adapter"
  }

  private func line(_ parts: [String], _ severity: Finding.Severity) -> Finding {
    Finding(.bluetoothd, severity, parts.joined(separator: "; ") + ".")
  }

  private static let midiFamilies = BuiltIn.families.all.filter { $0.service == midi }.map(\.title)
    .joined(separator: ", ")

  private func midiPlugin(_ daemon: DaemonFacts) -> Finding? {
    guard daemon.loads(plugin: "midi") else { return nil }
    let rooms = (building?.rooms ?? []).filter { $0.family.service == Self.midi }
    if building != nil, rooms.isEmpty { return nil }
    let sentence =
      building == nil
      ? "bluetoothd loads its BLE-MIDI plugin if it was built with it: devices with that service (\(Self.midiFamilies)) cannot be written."
      : "bluetoothd loads its BLE-MIDI plugin if it was built with it: then \(rooms.count.rooms) cannot be written: "
        + RoomNameList.text(rooms.map(\.name)) + "."
    return Finding(
      .midiPlugin, building == nil ? .note : .warning, sentence,
      command: Self.command(starting: Self.withoutMIDI(daemon.command)))
  }

  private static func withoutMIDI(_ command: [String]) -> [String] {
    guard let index = command.firstIndex(where: { $0.hasPrefix("--noplugin=") }) else {
      return command + ["--noplugin=midi"]
    }
    var command = command
    command[index] += ",midi"
    return command
  }

  /// The command that makes systemd start bluetoothd with these arguments, now and in the future; nil if one of them, which
  /// the host names, would need quotes for the shell or for systemd.
  private static func command(starting words: [String]) -> String? {
    guard words.allSatisfy({ $0.shellQuoted == $0 }) else { return nil }
    let folder = "/etc/systemd/system/bluetooth.service.d"
    let text = "[Service]\\nExecStart=\\nExecStart=\(words.joined(separator: " "))\\n"
    return "sudo mkdir -p \(folder) && printf '\(text)' | sudo tee \(folder)/roboprov.conf"
      + " && sudo systemctl daemon-reload && sudo systemctl restart bluetooth"
  }

  // MARK: main.conf

  var configurationFindings: [Finding] {
    guard let bluetooth else { return [] }
    if let file = bluetooth.daemon.value??.configurationFile {
      return [Finding(.configuration, .note, "bluetoothd's settings are unknown: it reads \(file.visible).")]
    }
    guard case .known(let settings) = bluetooth.configuration else {
      guard case .unknown(let why) = bluetooth.configuration else { return [] }
      return [Finding(.configuration, .note, "bluetoothd's settings are unknown: \(why).")]
    }
    var findings: [Finding] = []
    if settings.text("General", "ControllerMode") == "bredr" {
      findings.append(
        Finding(
          .controllerMode, .error,
          "\(MainConfiguration.path) switches Bluetooth LE off (ControllerMode=bredr).",
          command: settings.command(setting: "General", "ControllerMode", to: "dual")))
    }
    // Trap 8: bluetoothd forgets a received device after this time, and cannot connect to it then. A run
    // relies on 30 s.
    if let seconds = settings.number("General", "TemporaryTimeout"), (1..<30).contains(seconds) {
      findings.append(
        Finding(
          .temporaryTimeout, .warning,
          "bluetoothd forgets devices \(seconds) s after a scan (TemporaryTimeout); a run needs 30 s.",
          command: settings.command(setting: "General", "TemporaryTimeout", to: "30")))
    }
    // Trap 50.
    if settings.flag("Policy", "AutoEnable") == false {
      findings.append(
        Finding(
          .autoEnable, .note,
          "An adapter that is plugged in stays switched off (AutoEnable=false).",
          command: settings.command(setting: "Policy", "AutoEnable", to: "true")))
    }
    findings += [slowAdvertisers(settings), supervision(settings, bluetooth)].compactMap(\.self)
    return findings.isEmpty
      ? [Finding(.configuration, .ok, "bluetoothd's settings are suitable for a run.")] : findings
  }

  /// A connection needs two advertisements, and the kernel waits for the second one for a limited time
  /// (docs/internals/bluez.md, "Connecting to a device that advertises rarely"): 4 s with kernel 6.1, 20 s with 6.12.
  /// The kernels in between were not measured.
  private func slowAdvertisers(_ settings: MainConfiguration) -> Finding? {
    let rooms = building?.rooms ?? []
    let intervals = rooms.compactMap { room in room.cautionedInterval.map { (room, $0) } }
    let mayBeSlow = rooms.contains { !$0.cautionedSettings.isEmpty }
    guard building == nil || mayBeSlow, let version = kernelVersion else { return nil }
    let isNew = (version.major, version.minor) >= (6, 12)
    let set = settings.number("LE", "Autoconnecttimeout").map { Duration.milliseconds($0 - 200) }
    let reach = max(set ?? .zero, isNew ? .seconds(20) : .milliseconds(3800))
    let beyond = intervals.filter { $0.1 > reach }
    let kernel = "Kernel \(version.major).\(version.minor)"
    let isMeasured = isNew || (version.major, version.minor) == (6, 1)
    let doubt = isMeasured ? "" : " (measured with 6.1; not measured with this version)"
    guard beyond.isEmpty else {
      let longest = beyond.map(\.1).max() ?? .zero
      let names = RoomNameList.text(beyond.map(\.0.name))
      let helps = longest <= .seconds(16)
      return Finding(
        .slowAdvertisers, .warning,
        "\(kernel) connects to devices that advertise at least every \(reach.shown)\(doubt); \(beyond.count.rooms) with a longer "
          + "interval cannot be connected to again: \(names).",
        advice: helps
          ? nil
          : "Use a computer with kernel 6.12, which connects with intervals up to 20 s, or set a shorter interval.",
        command: helps ? settings.command(setting: "LE", "Autoconnecttimeout", to: "16384") : nil)
    }
    guard !isNew, set == nil else { return nil }
    return Finding(
      .slowAdvertisers, .note,
      "\(kernel) cannot connect to devices that advertise less often than every \(reach.shown)\(doubt).",
      advice: "Needed only for such devices:",
      command: settings.command(setting: "LE", "Autoconnecttimeout", to: "16384"))
  }

  /// Trap 27. The kernel's default is 420 ms.
  private func supervision(_ settings: MainConfiguration, _ bluetooth: BluetoothFacts) -> Finding? {
    let actual = bluetooth.controllers.compactMap(\.supervisionTimeout.value).min()
    let set = settings.number("LE", "ConnectionSupervisionTimeout").map { Duration.milliseconds($0 * 10) }
    let time = actual ?? set ?? .milliseconds(420)
    guard time < .seconds(1) else { return nil }
    let whose = actual == nil && set == nil ? ", the kernel's default" : ""
    return Finding(
      .supervisionTimeout, .note, "A link ends after \(time.shown) without a packet\(whose).",
      advice: "Needed only if links at the edge of the range are lost:",
      command: settings.command(setting: "LE", "ConnectionSupervisionTimeout", to: "200"))
  }

  // MARK: Storage

  /// Traps 12, 14 and 41: names and attributes of devices that were connected to stay on disk.
  private var stored: Finding? {
    guard let bluetooth else { return nil }
    switch bluetooth.storedDevices {
    case .unknown(let why):
      return Finding(
        .storedDevices, .note, "The number of devices in bluetoothd's storage is unknown: \(why).")
    case .known(let count) where count > 100:
      return Finding(
        .storedDevices, .note,
        "bluetoothd's storage has \(count) devices, with names and attributes that can be outdated.",
        advice:
          "`bluetoothctl devices` lists them. A run removes its own devices. This command removes one:",
        command: "bluetoothctl remove ADDRESS")
    case .known(let count):
      return Finding(.storedDevices, .ok, "Devices in bluetoothd's storage: \(count).")
    }
  }
}

extension Duration {
  /// `420 ms`, `3.8 s`.
  var shown: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    return milliseconds % 1000 == 0
      ? "\(milliseconds / 1000) s" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
  }
}
