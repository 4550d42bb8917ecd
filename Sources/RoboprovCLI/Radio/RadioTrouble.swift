import Bluetooth
import Foundation
import Model

/// What a person is told, and advised, when the radio as a whole cannot be used.
enum RadioTrouble {
  static func failure(_ error: CentralError, adapter: String? = nil) -> CommandFailure {
    let detail = error.stackText.map { " (\(OutsideWords.quoted($0)))" } ?? ""
    switch error.code {
    case .busUnavailable:
      return CommandFailure(
        .unavailable, "there is no D-Bus to speak to Bluetooth through" + detail,
        cure: """
          Start it with `sudo systemctl start dbus`, or install it with `sudo apt-get install dbus`.
          In a container, let it see the host's /run/dbus/system_bus_socket.
          To try roboprov without Bluetooth, add --simulate.
          """)
    case .stackUnavailable:
      return CommandFailure(
        .unavailable, "the Bluetooth service (BlueZ) is not running" + detail,
        cure: """
          Start it with `sudo systemctl start bluetooth`, or install it with `sudo apt-get install bluez`.
          To try roboprov without Bluetooth, add --simulate.
          """)
    case .timedOut:
      return CommandFailure(
        .unavailable, "Bluetooth does not answer" + detail,
        cure: """
          Restart its service with `sudo systemctl restart bluetooth`. Where that hangs too, D-Bus does: see `systemctl status \
          dbus`, or restart the computer.
          """)
    case .permissionDenied:
      return CommandFailure(
        .unavailable, "this user may not use Bluetooth" + detail,
        cure: "Add yourself with `sudo adduser $USER bluetooth`, log in again, or run as root.")
    case .adapterUnavailable(let trouble):
      return adapterFailure(trouble, adapter: adapter)
    default:
      return CommandFailure(.unavailable, "Bluetooth cannot be used: \(error.code)" + detail)
    }
  }

  /// What is told while an adapter is waited for.
  static func waiting(_ awaited: AdapterAwaited) -> String {
    let failure =
      if let trouble = awaited.trouble {
        adapterFailure(trouble, adapter: awaited.adapter)
      } else {
        CommandFailure(
          .unavailable, "the Bluetooth service (BlueZ) is not running, or does not answer")
      }
    return "roboprov: waiting up to \(awaited.seconds.formatted()) s for an adapter: \(failure.message)"
  }

  private static func adapterFailure(
    _ trouble: CentralError.AdapterTrouble, adapter: String?
  ) -> CommandFailure {
    let name = adapter.map { "Bluetooth adapter \($0)" } ?? "Bluetooth adapter"
    switch trouble {
    case .absent:
      return CommandFailure(
        .unavailable, adapter == nil ? "there is no Bluetooth adapter" : "there is no \(name)",
        cure: "Plug one in; `bluetoothctl list` shows those that BlueZ knows.")
    case .poweredOff:
      return CommandFailure(
        .unavailable, "the \(name) is switched off",
        cure: "Switch it on with `bluetoothctl power on`.")
    case .blocked:
      return CommandFailure(
        .unavailable, "the \(name) is blocked",
        cure: "Unblock it with `rfkill unblock bluetooth`, or by the laptop's wireless switch.")
    }
  }
}
