import Bluetooth
import Model

/// A fact about the host, or the reason why it could not be read. No fact is inferred.
package enum HostFact<Value: Sendable & Hashable>: Sendable, Hashable {
  case known(Value)
  /// The reason as a clause: `/etc/bluetooth/main.conf is readable by root only`.
  case unknown(String)

  /// The value; nil if it is unknown.
  package var value: Value? { if case .known(let value) = self { value } else { nil } }

  /// What a check finds in the value, or that it is unknown.
  /// - Parameter title: The beginning of the sentence: `The kernel's version is`.
  func finding(_ title: String, _ find: (Value) -> Finding?) -> Finding? {
    switch self {
    case .known(let value): find(value)
    case .unknown(let why): Finding(.note, "\(title) unknown: \(why).")
    }
  }
}

/// The facts about a computer that matter for Bluetooth and a run. `HostFiles` reads them; `Diagnosis`
/// evaluates them.
package struct HostFacts: Sendable, Hashable {
  /// The kernel's release: `6.1.0-37-arm64`.
  var kernel: HostFact<String>
  /// Whether a time server sets the clock.
  var isClockSynchronised: HostFact<Bool>
  var load: HostFact<LoadFacts>
  /// Bluetooth; unknown if the bus may belong to another computer.
  var bluetooth: HostFact<BluetoothFacts>
  /// The reports directory; nil if it was not checked.
  var reports: StorageFacts?
  /// Files that other users should not read or change.
  var files: [FileFacts] = []
  /// How far another computer's clock is ahead of this one's at least, negative if it is behind; nil if its answer took
  /// longer than the difference.
  var clockAhead: Duration?
}

/// How busy the processors are.
struct LoadFacts: Sendable, Hashable {
  /// The load average of the last minute (proc_loadavg(5)).
  var average: Double
  var processors: Int
}

/// Facts about a computer's Bluetooth that need no bus.
package struct BluetoothFacts: Sendable, Hashable {
  /// Whether the kernel has Bluetooth. Without a driver for an adapter it may not.
  var isInKernel = true
  /// The running bluetoothd, otherwise the one that systemd would start.
  var daemon: HostFact<DaemonFacts>
  /// The settings in `/etc/bluetooth/main.conf`; empty if the file does not exist.
  var configuration: HostFact<MainConfiguration>
  /// The kernel's adapters, sorted by name.
  var controllers: [ControllerFacts]
  /// The WiFi adapters, sorted by name.
  var wifi: [WiFiFacts]
  /// The number of devices in bluetoothd's storage.
  var storedDevices: HostFact<Int>

  /// The settings of bluetoothd, which may have a file of its own.
  var settings: HostFact<MainConfiguration> {
    guard let file = daemon.value?.configurationFile else { return configuration }
    return .unknown("it reads \(file.visible)")
  }
}

/// A running or configured bluetoothd.
struct DaemonFacts: Sendable, Hashable {
  /// The program and its arguments.
  var command: [String]
  /// Its process id; nil if only the systemd unit is known.
  var process: Int32?

  /// Whether it loads a plugin that it was built with: `--plugin` lists the plugins to load, `--noplugin`
  /// those not to load, each as patterns (bluetoothd(8)).
  func loads(plugin name: String) -> Bool {
    let (only, without) = (patterns("--plugin", "-p"), patterns("--noplugin", "-P"))
    func matches(_ patterns: [String]) -> Bool {
      patterns.contains { pattern in
        pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : pattern == name
      }
    }
    return (only.isEmpty || matches(only)) && !matches(without)
  }

  /// Whether it logs every message (`-d`).
  var isDebugging: Bool { command.dropFirst().contains { $0 == "-d" || $0.hasPrefix("--debug") } }

  /// The file that it reads instead of `/etc/bluetooth/main.conf` (`--configfile`); nil for the default.
  var configurationFile: String? { patterns("--configfile", "-f").last }

  /// The values of an option, in each form that GLib accepts.
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

/// An adapter in the kernel.
package struct ControllerFacts: Sendable, Hashable {
  var name: String
  var hardware: AdapterHardware?
  /// Nil if unknown.
  var block: RadioBlock?
  /// The time after which a link without a packet ends (`supervision_timeout` in debugfs); nil if unknown.
  var supervisionTimeout: Duration?

  /// The external USB hub that it is plugged into: `usb1/1-3`; nil without one, or on another bus.
  var hub: String? {
    guard hardware?.bus == "usb", let path = hardware?.path?.split(separator: "/") else { return nil }
    // usb1 / 1-3 (the hub) / 1-3.2 (the device) / 1-3.2:1.0 (its interface)
    guard path.count >= 4 else { return nil }
    return path.dropLast(2).joined(separator: "/")
  }
}

struct WiFiFacts: Sendable, Hashable {
  /// `wlan0`.
  var name: String
  /// The kernel's driver: `iwlwifi`.
  var driver: String?
  /// Whether it has a connection.
  var isUp: Bool
  /// Its USB path: `usb1/1-3/1-3:1.2`; nil if it is not on USB.
  var usbPath: String?
}

/// The reports directory, and its file system.
package struct StorageFacts: Sendable, Hashable {
  /// The path as given.
  var path: String
  /// Free space for this user, in bytes.
  var free: HostFact<UInt64>
  /// Whether this user can create files there.
  var access: Access

  enum Access: Sendable, Hashable {
    case writable
    case denied
    /// A file has the name of the directory, or of one above it.
    case noDirectory(String)
  }
}
