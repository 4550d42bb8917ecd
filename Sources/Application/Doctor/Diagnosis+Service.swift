import Bluetooth
import Model
import Reporting

/// Checks of the kernel, the bus and bluetoothd with its settings. The numbers of traps are those of
/// docs/internals/bluez.md.
extension Diagnosis {
  static let serviceChecks: [DoctorCheck<Diagnosis>] =
    busChecks + bluetoothdChecks + settingsChecks + storageChecks

  private static let busChecks: [DoctorCheck<Diagnosis>] = [
    DoctorCheck("kernel") { facts in
      facts.host.kernel.finding("The kernel's version is") { release in
        // docs/internals/bluez.md, "On another kernel": Debian's 6.1.192 fails as soon as an adapter appears.
        guard let flavour = release.flavour(of: "6.1.0-56-") else {
          return Finding(.ok, "Kernel \(release).")
        }
        return Finding(
          .warning, "Kernel \(release) fails when an adapter appears.",
          advice: "Install the newest kernel, and restart the computer:",
          command: "sudo apt-get update && sudo apt-get install linux-image-\(flavour)")
      }
    },
    DoctorCheck("bus") { facts in
      guard let radio = facts.radio, radio.failure == nil else { return nil }
      guard let local = radio.localFailure else {
        return Finding(.ok, "The system bus responds, and this user can use Bluetooth.")
      }
      return Finding(
        .note, "This computer has no Bluetooth that can be used\(local.detail); other hosts have.")
    },
    DoctorCheck("bus_unavailable") { facts in
      guard let failure = facts.radio?.failure, failure.code == .busUnavailable else { return nil }
      return Finding(
        .error, "There is no D-Bus system bus, which Bluetooth needs\(failure.detail).",
        advice: "Start it; in a container, mount the host's /run/dbus/system_bus_socket.",
        command: "sudo systemctl start dbus")
    },
    DoctorCheck("bluetoothd_not_running") { facts in
      guard let failure = facts.radio?.failure, failure.code == .stackUnavailable else { return nil }
      guard facts.bluetooth?.isInKernel == false else {
        return Finding(
          .error, "The Bluetooth service (BlueZ) is not running\(failure.detail).",
          advice: "Start it, or install it with `sudo apt-get install bluez`.",
          command: "sudo systemctl start bluetooth")
      }
      // Debian's unit has ConditionPathIsDirectory=/sys/class/bluetooth.
      return Finding(
        .error,
        "The Bluetooth service (BlueZ) is not running: systemd does not start it while the kernel has no Bluetooth.",
        advice: "Plug in an adapter. If one is present, load its driver:",
        command: "sudo modprobe btusb && sudo systemctl start bluetooth")
    },
    // Trap 56.
    DoctorCheck("bus_permission") { facts in
      guard let failure = facts.radio?.failure, failure.code == .permissionDenied else { return nil }
      return Finding(
        .error, "This user has no permission to use Bluetooth\(failure.detail).",
        advice: "Log in again afterwards.", command: "sudo adduser $USER bluetooth")
    },
    DoctorCheck("bluetoothd_silent") { facts in
      let others: [CentralError.Code] = [.busUnavailable, .stackUnavailable, .permissionDenied]
      guard let failure = facts.radio?.failure, !others.contains(failure.code) else { return nil }
      return Finding(
        .error, "The Bluetooth service does not respond correctly: \(failure.code)\(failure.detail).",
        command: "sudo systemctl restart bluetooth")
    },
    DoctorCheck("host_bluetooth") { facts in
      facts.host.bluetooth.finding("bluetoothd's options and settings, chips and USB ports are") { _ in nil }
    },
  ]

  private static let bluetoothdChecks: [DoctorCheck<Diagnosis>] = [
    DoctorCheck("bluetoothd") { facts in
      facts.bluetooth?.daemon.finding("\(facts.version); its options are") { daemon in
        let command = daemon.command.joined(separator: " ")
        guard let process = daemon.process else {
          let seen = "no process is visible to this user; the systemd unit starts"
          return Finding(.note, "\(facts.version); \(seen): \(command).")
        }
        return Finding(.ok, "\(facts.version); process \(process): \(command).")
      }
    },
    // docs/internals/bluez.md, "On another version".
    DoctorCheck("bluetoothd_version") { facts in
      guard let version = facts.radio?.stack, version == "BlueZ 5.87" else { return nil }
      return Finding(
        .warning,
        "\(version) can crash when it forgets a connected device, as after each room, and crashes when any program scans with "
          + "a filter of services (UUIDs).",
        advice: "Install 5.86, or a version after 5.87.")
    },
    // Trap 59: it loses the messages that it cannot process in time.
    DoctorCheck("bluetoothd_debugging") { facts in
      guard let daemon = facts.bluetooth?.daemon.value, daemon.isDebugging else { return nil }
      return Finding(
        .warning, "bluetoothd logs every message (-d) and so loses messages when many devices advertise.",
        command: daemon.commandWithoutDebugging)
    },
    DoctorCheck("midi_plugin") { facts in
      guard let daemon = facts.bluetooth?.daemon.value, daemon.loads(plugin: "midi") else { return nil }
      let plugin = "bluetoothd loads its BLE-MIDI plugin if it was built with it"
      guard let building = facts.building else {
        let families = BuiltIn.families.all.filter(\.isMIDI).map(\.title).joined(separator: ", ")
        return Finding(
          .note, "\(plugin): devices with that service (\(families)) cannot be written.",
          command: daemon.commandWithoutMIDI)
      }
      let rooms = building.rooms.filter(\.family.isMIDI)
      guard !rooms.isEmpty else { return nil }
      return Finding(
        .warning,
        "\(plugin): then \(rooms.count.rooms) cannot be written: \(RoomNameList.text(rooms.map(\.name))).",
        command: daemon.commandWithoutMIDI)
    },
    DoctorCheck("configuration") { facts in
      facts.bluetooth?.settings.finding("bluetoothd's settings are") { _ in
        Diagnosis.settingsChecks.findings(in: facts).isEmpty
          ? Finding(.ok, "bluetoothd's settings are suitable for a run.") : nil
      }
    },
  ]

  /// For `main.conf`.
  private static let settingsChecks: [DoctorCheck<Diagnosis>] = [
    DoctorCheck("controller_mode") { facts in
      guard let settings = facts.settings, settings.text("General", "ControllerMode") == "bredr" else {
        return nil
      }
      return Finding(
        .error, "\(MainConfiguration.path) switches Bluetooth LE off (ControllerMode=bredr).",
        command: settings.command(setting: "General", "ControllerMode", to: "dual"))
    },
    // Trap 8: bluetoothd forgets a received device after this time, and cannot connect to it then. A run
    // relies on 30 s.
    DoctorCheck("temporary_timeout") { facts in
      guard let settings = facts.settings, let seconds = settings.number("General", "TemporaryTimeout"),
        (1..<30).contains(seconds)
      else { return nil }
      return Finding(
        .warning,
        "bluetoothd forgets devices \(seconds) s after a scan (TemporaryTimeout); a run needs 30 s.",
        command: settings.command(setting: "General", "TemporaryTimeout", to: "30"))
    },
    // Trap 50.
    DoctorCheck("auto_enable") { facts in
      guard let settings = facts.settings, settings.flag("Policy", "AutoEnable") == false else { return nil }
      return Finding(
        .note, "An adapter that is plugged in stays switched off (AutoEnable=false).",
        command: settings.command(setting: "Policy", "AutoEnable", to: "true"))
    },
    DoctorCheck("slow_advertisers") { facts in
      guard let settings = facts.settings, let reach = facts.reach(settings) else { return nil }
      let change = settings.command(setting: "LE", "Autoconnecttimeout", to: "16384")
      let beyond = (facts.building?.rooms ?? []).filter { $0.cautionedInterval ?? .zero > reach.longest }
      guard let longest = beyond.compactMap(\.cautionedInterval).max() else {
        guard reach.isByDefault else { return nil }
        return Finding(
          .note,
          "\(reach.kernel) cannot connect to devices that advertise less often than every \(reach.words).",
          advice: "Needed only for such devices:", command: change)
      }
      let canBeSet = longest <= .seconds(16)
      return Finding(
        .warning,
        "\(reach.kernel) connects to devices that advertise at least every \(reach.words); \(beyond.count.rooms) with a longer "
          + "interval cannot be connected to again: \(RoomNameList.text(beyond.map(\.name))).",
        advice: canBeSet
          ? nil
          : "Use a computer with kernel 6.12, which connects with intervals up to 20 s, or set a shorter interval.",
        command: canBeSet ? change : nil)
    },
    // Trap 27. The kernel's default is 420 ms.
    DoctorCheck("supervision_timeout") { facts in
      guard let settings = facts.settings else { return nil }
      let set = settings.number("LE", "ConnectionSupervisionTimeout").map { Duration.milliseconds($0 * 10) }
      let known = facts.bluetooth?.controllers.compactMap(\.supervisionTimeout).min() ?? set
      let time = known ?? .milliseconds(420)
      guard time < .seconds(1) else { return nil }
      return Finding(
        .note,
        "A link ends after \(time.shown) without a packet\(known == nil ? ", the kernel's default" : "").",
        advice: "Needed only if links at the edge of the range are lost:",
        command: settings.command(setting: "LE", "ConnectionSupervisionTimeout", to: "200"))
    },
  ]

  private static let storageChecks: [DoctorCheck<Diagnosis>] = [
    // Traps 12, 14 and 41: names and attributes of devices that were connected to stay on disk.
    DoctorCheck("stored_devices") { facts in
      facts.bluetooth?.storedDevices.finding("The number of devices in bluetoothd's storage is") { count in
        guard count > 100 else { return Finding(.ok, "Devices in bluetoothd's storage: \(count).") }
        return Finding(
          .note,
          "bluetoothd's storage has \(count) devices, with names and attributes that can be outdated.",
          advice:
            "`bluetoothctl devices` lists them. A run removes its own devices. This command removes one:",
          command: "bluetoothctl remove ADDRESS")
      }
    }
  ]

  private var settings: MainConfiguration? { bluetooth?.settings.value }

  /// The service with its version, if the stack reports one.
  private var version: String {
    guard let radio, radio.failure == nil else { return "bluetoothd" }
    return radio.stack ?? "BlueZ, its version is unknown without an adapter"
  }

  /// A connection needs two advertisements, and the kernel waits for the second one for a limited time
  /// (docs/internals/bluez.md, "Connecting to a device that advertises rarely"): 4 s with kernel 6.1, 20 s with 6.12.
  /// The kernels in between were not measured.
  /// - Returns: Nil if it does not matter, or the kernel is unknown.
  private func reach(
    _ settings: MainConfiguration
  ) -> (kernel: String, longest: Duration, words: String, isByDefault: Bool)? {
    let numbers = (host.kernel.value ?? "").split(separator: ".").prefix(2).compactMap {
      Int($0, in: 0...999)
    }
    guard numbers.count == 2, building?.rooms.contains(where: { !$0.cautionedSettings.isEmpty }) != false
    else { return nil }
    let isNew = (numbers[0], numbers[1]) >= (6, 12)
    let set = settings.number("LE", "Autoconnecttimeout").map { Duration.milliseconds($0 - 200) }
    let longest = max(set ?? .zero, isNew ? .seconds(20) : .milliseconds(3800))
    let doubt = isNew || numbers == [6, 1] ? "" : " (measured with 6.1; not measured with this version)"
    return (
      kernel: "Kernel \(numbers[0]).\(numbers[1])", longest: longest, words: longest.shown + doubt,
      isByDefault: !isNew && set == nil
    )
  }
}

extension DaemonFacts {
  /// The command that restarts it without logging every message.
  fileprivate var commandWithoutDebugging: String? {
    Self.command(starting: command.filter { $0 != "-d" && !$0.hasPrefix("--debug") })
  }

  /// The command that restarts it without its MIDI plugin.
  fileprivate var commandWithoutMIDI: String? {
    guard let index = command.firstIndex(where: { $0.hasPrefix("--noplugin=") }) else {
      return Self.command(starting: command + ["--noplugin=midi"])
    }
    var words = command
    words[index] += ",midi"
    return Self.command(starting: words)
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
}

extension DeviceFamily {
  /// Whether it has the BLE-MIDI service, which bluetoothd's plugin takes for itself (docs/internals/bluez.md,
  /// "bluetoothd reserves BLE-MIDI").
  fileprivate var isMIDI: Bool { service == "03B80E5A-EDE8-4B33-A751-6CE34EC4C700" }
}

extension Room {
  /// The settings of its family that can make its device advertise so rarely that connections fail.
  fileprivate var cautionedSettings: [SettingDescription] {
    family.settings.filter { setting in
      if case .duration = setting.kind { setting.caution != nil } else { false }
    }
  }

  /// Its advertising interval if it is longer than the family's limit for reliable connections; otherwise nil.
  fileprivate var cautionedInterval: Duration? {
    cautionedSettings.compactMap { setting -> Duration? in
      guard case .duration(let interval)? = settings[setting.name], let caution = setting.caution,
        interval > caution.longest
      else { return nil }
      return interval
    }.max()
  }
}

extension String {
  /// The flavour in the release of a Debian kernel, by which its package is named: `arm64`, `rt-arm64`. Nil if the release does
  /// not begin with this version.
  fileprivate func flavour(of version: String) -> Substring? {
    let flavour = dropFirst(version.count)
    let isName = flavour.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return hasPrefix(version) && isName ? flavour : nil
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
