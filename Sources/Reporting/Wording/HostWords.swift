import Bluetooth
package import Model

extension HostUnavailable {
  /// What is wrong with the host, and what to do.
  package var sentence: String {
    let text = stackText.map { " (\($0.visible))" } ?? ""
    return "\(host): \(cause.words)\(text). \(advice)"
  }

  /// What to do: by ssh's own words if it has any.
  private var advice: String {
    let known = Self.causes.first { stackText?.contains($0.text) == true }
    return known?.advice ?? cause.advice(host)
  }

  /// What ssh and the shell of the host say, and what to do then.
  private static let causes: [(text: String, advice: String)] = [
    ("Permission denied (", "Give it your key with `ssh-copy-id`, and load the key into your agent."),
    (
      "IDENTIFICATION HAS CHANGED",
      "It has another host key than before: it is another computer, or someone is in between. Ask who runs it before you "
        + "replace the key in ~/.ssh/known_hosts."
    ),
    (
      "Host key verification failed",
      "Connect to it once with `ssh`, and compare the fingerprint of its key."
    ),
    ("Could not resolve hostname", "Check the name after `ssh:`, and the network of this computer."),
    ("No route to host", "Check that it is switched on, and the network in between."),
    ("Connection timed out", "Check that it is switched on, and the network in between."),
    ("Connection refused", "Start the SSH server on it."),
    ("ssh is not installed", "Install it with `sudo apt-get install openssh-client`."),
    ("systemd-stdio-bridge", "It needs systemd: `systemd-stdio-bridge` must be found there."),
    (
      "printed something",
      "Its shell must print nothing when ssh runs a command: check ~/.bashrc and ~/.profile there, and that `busctl` works."
    ),
  ]
}

extension HostUnavailable.Cause {
  fileprivate var words: String {
    switch self {
    case .unreachable: "cannot be reached"
    case .noAnswer: "does not answer"
    case .noService: "the Bluetooth service (BlueZ) is not running there"
    case .refused: "this user may not use Bluetooth there"
    }
  }

  fileprivate func advice(_ host: HostName) -> String {
    switch self {
    case .unreachable, .noAnswer: "The run tries it again, and goes on without it."
    case .noService: "Start it there with `sudo systemctl start bluetooth`."
    case .refused: "Add the user there with `sudo adduser $USER bluetooth`."
    }
  }
}
