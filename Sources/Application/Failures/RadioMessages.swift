package import Bluetooth
import Reporting
import FoundationEssentials
package import Model

/// Messages and advice for failures of the radio as a whole.
package enum RadioMessages {
  package static func failure(_ error: CentralError, adapter: String? = nil) -> CommandFailure {
    let detail = error.detail
    if let host = HostUnavailable(HostAdapters(on: error.host, .failure(error))) {
      return CommandFailure(
        .unavailable, "no adapter can be used; \(OutsideWords.quoted(host.sentence))",
        advice: "`roboprov doctor` checks each host.")
    }
    switch error.code {
    case .busUnavailable:
      return CommandFailure(
        .unavailable, "there is no D-Bus system bus, which Bluetooth needs" + detail,
        advice: """
          Start it with `sudo systemctl start dbus`, or install it with `sudo apt-get install dbus`.
          In a container, mount the host's /run/dbus/system_bus_socket.
          To try roboprov without Bluetooth, add --simulate.
          """)
    case .stackUnavailable:
      return CommandFailure(
        .unavailable, "the Bluetooth service (BlueZ) is not running" + detail,
        advice: """
          Start it with `sudo systemctl start bluetooth`, or install it with `sudo apt-get install bluez`.
          To try roboprov without Bluetooth, add --simulate.
          """)
    case .timedOut:
      return CommandFailure(
        .unavailable, "the Bluetooth service does not respond" + detail,
        advice: """
          Restart it with `sudo systemctl restart bluetooth`. If that command does not end, check D-Bus with `systemctl status \
          dbus`, or restart the computer.
          """)
    case .permissionDenied:
      return CommandFailure(
        .unavailable, "this user may not use Bluetooth" + detail,
        advice: "Add yourself with `sudo adduser $USER bluetooth`, log in again, or run as root.")
    case .adapterUnavailable(let problem):
      return adapterFailure(problem, adapter: adapter)
    default:
      return CommandFailure(.unavailable, "Bluetooth cannot be used: \(error.code)" + detail)
    }
  }

  /// The message while a command waits for an adapter.
  package static func waiting(_ awaited: AdapterAwaited) -> String {
    let failure =
      if let problem = awaited.problem {
        adapterFailure(problem, adapter: awaited.adapter)
      } else {
        CommandFailure(
          .unavailable, "no Bluetooth service (BlueZ) runs and responds" + awaited.place)
      }
    return "roboprov: waiting up to \(awaited.seconds.asSeconds) for an adapter: \(failure.message)"
  }

  private static func adapterFailure(
    _ problem: CentralError.AdapterProblem, adapter: String?
  ) -> CommandFailure {
    let name = adapter.map { "Bluetooth adapter \($0)" } ?? "Bluetooth adapter"
    switch problem {
    case .absent:
      return CommandFailure(
        .unavailable, adapter == nil ? "there is no Bluetooth adapter" : "there is no \(name)",
        advice: "Plug one in; `bluetoothctl list` shows the adapters that BlueZ has.")
    case .poweredOff:
      return CommandFailure(
        .unavailable, "the \(name) is switched off",
        advice: "Switch it on with `bluetoothctl power on`.")
    case .blocked:
      return CommandFailure(
        .unavailable, "the \(name) is blocked",
        advice: "Unblock it with `rfkill unblock bluetooth` or the computer's wireless switch.")
    }
  }
}

extension CentralError {
  /// What the stack said, without passwords, to follow a sentence: ` (org.bluez.Error.Failed)`; empty without a text.
  var detail: String { stackText.map { " (\(OutsideWords.quoted($0)))" } ?? "" }
}
