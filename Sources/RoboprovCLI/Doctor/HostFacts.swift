import Bluetooth

/// What was read of the host, or why it was not. Nothing is guessed.
enum HostFact<Value: Sendable & Hashable>: Sendable, Hashable {
  case known(Value)
  /// As a clause: `/etc/bluetooth/main.conf is readable by root only`.
  case unknown(String)

  /// What was read; nil where nothing was.
  var value: Value? { if case .known(let value) = self { value } else { nil } }
}

/// Facts of a computer that concern Bluetooth and a run. `HostFiles` reads them; `Diagnosis` judges them.
struct HostFacts: Sendable, Hashable {
  /// The kernel's release: `6.1.0-37-amd64`.
  var kernel: HostFact<String>
  /// Whether a time server sets the clock.
  var isClockSynchronised: HostFact<Bool>
  /// Bluetooth; unknown where the bus is not this computer's.
  var bluetooth: HostFact<BluetoothFacts>
  /// Where reports go; nil where nothing was asked of them.
  var reports: StorageFacts?
  /// Files that others should not read or change.
  var files: [FileFacts]
}

/// Facts of a computer's Bluetooth that are read without the bus.
struct BluetoothFacts: Sendable, Hashable {
  /// Whether the kernel has Bluetooth at all: without a driver for an adapter it may not.
  var isInKernel = true
  /// The running bluetoothd; else what systemd would start. Known and nil: it does not run, and systemd knows of none.
  var daemon: HostFact<DaemonFacts?>
  /// The settings of `/etc/bluetooth/main.conf`; none where there is no such file.
  var configuration: HostFact<MainConfiguration>
  /// The adapters that the kernel has, by name.
  var controllers: [ControllerFacts]
  /// WiFi adapters, by name.
  var wifi: [WiFiFacts]
  /// How many devices bluetoothd keeps in its storage.
  var storedDevices: HostFact<Int>
}

/// A bluetoothd.
struct DaemonFacts: Sendable, Hashable {
  /// The program and its arguments.
  var command: [String]
  /// Its process; nil where only the unit is known that would start it.
  var process: Int32?

  /// Whether it loads a plugin that it has: `--plugin` names those to load, `--noplugin` those not to, each a list of patterns (bluetoothd(8)).
  func loads(plugin name: String) -> Bool {
    let (only, without) = (patterns("--plugin", "-p"), patterns("--noplugin", "-P"))
    func matches(_ patterns: [String]) -> Bool {
      patterns.contains { pattern in
        pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : pattern == name
      }
    }
    return (only.isEmpty || matches(only)) && !matches(without)
  }

  /// Whether it writes every message that it handles to the log (`-d`).
  var isDebugging: Bool { command.dropFirst().contains { $0 == "-d" || $0.hasPrefix("--debug") } }

  /// The file that it reads in the place of `/etc/bluetooth/main.conf` (`--configfile`); nil where it reads that.
  var configurationFile: String? { patterns("--configfile", "-f").last }

  /// What an option lists, in each of the forms that GLib takes.
  private func patterns(_ long: String, _ short: String) -> [String] {
    var found: [Substring] = []
    for (index, word) in command.enumerated().dropFirst() {
      if word == long || word == short, index + 1 < command.count {
        found += command[index + 1].split(separator: ",")
      } else if word.hasPrefix(long + "=") {
        found += word.dropFirst(long.count + 1).split(separator: ",")
      } else if word.hasPrefix(short), !word.hasPrefix("--"), word.count > 2 {
        found += word.dropFirst(2).split(separator: ",")
      }
    }
    return found.map(String.init)
  }
}

/// An adapter as the kernel has it.
struct ControllerFacts: Sendable, Hashable {
  var name: String
  var hardware: AdapterHardware?
  /// Nil where the kernel does not say.
  var block: RadioBlock?
  /// For how long a link lasts without a packet (`supervision_timeout` of debugfs).
  var supervisionTimeout: HostFact<Duration>

  /// The external USB hub that it is behind: `usb1/1-3`; nil where there is none, or it is on another bus.
  var hub: String? {
    guard hardware?.bus == "usb", let path = hardware?.path?.split(separator: "/") else { return nil }
    // usb1 / 1-3 (the hub) / 1-3.2 (the device) / 1-3.2:1.0 (its interface)
    guard path.count >= 4 else { return nil }
    return path.dropLast(2).joined(separator: "/")
  }
}

/// A WiFi adapter.
struct WiFiFacts: Sendable, Hashable {
  /// `wlan0`.
  var name: String
  /// The kernel's driver: `iwlwifi`.
  var driver: String?
  /// Whether it has a connection.
  var isUp: Bool
  /// Where it is: `usb1/1-3/1-3:1.2`; nil where it is on no USB.
  var usbPath: String?
}

/// A directory that reports go to, and the file system that it is on.
struct StorageFacts: Sendable, Hashable {
  /// As it was named.
  var path: String
  /// Bytes that this user may still write.
  var free: HostFact<UInt64>
  /// Whether this user can make files there.
  var access: Access

  enum Access: Sendable, Hashable {
    case writable
    case denied
    /// A file has its name, or that of a directory above it.
    case noDirectory(String)
  }
}

/// A file and the rights of other users.
struct FileFacts: Sendable, Hashable {
  enum Role: Sendable, Hashable {
    /// The manifest or a file that it names.
    case manifest(hasPasswords: Bool)
    case siteKey
  }

  var path: String
  var role: Role
  /// The lower nine bits of its mode; nil where there is no such file.
  var mode: UInt32?

  /// What users besides its owner and group can do with a manifest that they should not: read passwords, change it.
  var rightsOfOthers: [String] {
    guard case .manifest(let hasPasswords) = role, let mode else { return [] }
    return [(hasPasswords && mode & 0o004 != 0, "read"), (mode & 0o002 != 0, "change")].filter(\.0).map(\.1)
  }
}
