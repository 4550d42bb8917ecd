package import Model

/// A new manifest for a person to continue. Its text has comments that explain it.
package struct ManifestDraft: Sendable {
  package enum Password: Hashable, Sendable {
    /// An open network; for another secret the empty text.
    case none
    /// Asked for at the terminal.
    case prompt
    /// The name of an environment variable.
    case environment(String)
    /// The file of labels at this path.
    case labels(String)

    /// Its mapping in the manifest; nil for none.
    fileprivate var text: String? {
      switch self {
      case .none: nil
      case .prompt: "{ prompt: true }"
      case .environment(let name): "{ env: \(name) }"
      case .labels(let path): "{ labels: \(YAMLScalar.text(path)) }"
      }
    }
  }

  /// A secret that all rooms share, or take from their labels.
  package struct SharedSecret: Hashable, Sendable {
    package var setting: SettingName
    package var source: Password

    package init(_ setting: SettingName, _ source: Password) {
      (self.setting, self.source) = (setting, source)
    }
  }

  package struct Network: Hashable, Sendable {
    package var name: String
    package var ssid: String
    package var password: Password

    package init(name: String, ssid: String, password: Password) {
      (self.name, self.ssid, self.password) = (name, ssid, password)
    }
  }

  package struct Pair: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }
  }

  package enum Rooms: Hashable, Sendable {
    /// Entries, each with the keys of a room or of a range.
    case entries([[Pair]])
    /// A table: its path, the columns whose header differs from their key, and the ignored columns.
    case table(file: String, columns: [Pair], ignored: [String])
  }

  package var name: String
  package var profile: FamilyID
  /// Settings of the family that all rooms share.
  package var settings: [Pair]
  package var secrets: [SharedSecret] = []
  /// The first one is the default if `hasUsualNetwork` is true.
  package var networks: [Network]
  /// Whether the first network is the default of all rooms.
  package var hasUsualNetwork = true
  package var match: Building.Assignment
  package var rooms: Rooms

  package init(
    name: String, profile: FamilyID, settings: [Pair] = [], networks: [Network] = [],
    match: Building.Assignment, rooms: Rooms
  ) {
    self.name = name
    self.profile = profile
    self.settings = settings
    self.networks = networks
    self.match = match
    self.rooms = rooms
  }

  package var text: String {
    [heading, wifi, defaults, matching, roomList].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var heading: String {
    let id = Slug.make(of: name) ?? "building"
    return """
      # What roboprov writes into the devices of this building. `roboprov validate` checks it, offline.

      # The building's name, for people. It is at the top of the reports.
      building: \(YAMLScalar.text(name))
      # Its short name: reports go to reports/\(id)/. Never change it once you have started.
      id: \(YAMLScalar.text(id))

      """
  }

  private var wifi: String {
    guard !networks.isEmpty else { return "" }
    let lines = networks.map { network in
      let password = network.password.text.map { ", password: \($0)" } ?? ""
      return "  \(YAMLScalar.text(network.name)): { ssid: \(YAMLScalar.text(network.ssid))\(password) }\n"
    }
    return """
      # The WiFi networks of the sensors, each under a name of your choice. The passwords are not in this file. Their
      # source is a prompt (prompt: true), the environment (env: NAME), a file (file: PATH) or a program
      # (command: [pass, show, wifi]).
      wifi:
      \(lines.joined())
      """
  }

  private var defaults: String {
    let usual = hasUsualNetwork ? networks.first.map { Pair("wifi", $0.name) } : nil
    let pairs =
      [Pair("profile", profile.rawValue), usual, Pair("retries", "2")].compactMap(\.self) + settings
    let lines =
      pairs.map { "  \($0.key): \(YAMLScalar.text($0.value))\n" }
      + secrets.map { "  \($0.setting): \($0.source.text ?? "\"\"")\n" }
    return """
      # Defaults for all rooms. A room can override each. `retries`: further attempts after the first one failed.
      defaults:
      \(lines.joined())
      """
  }

  private var matching: String {
    let words =
      switch match {
      case .address: "Each room names its device by the address on the label."
      case .any:
        "Rooms without an address take any device that waits and that no other room names, after you confirm the list."
      case .later: "Rooms need no address yet: `roboprov capture` reads the labels."
      }
    return "# \(words)\nmatch: \(match.rawValue)\n"
  }

  private var roomList: String {
    switch rooms {
    case .entries(let entries):
      let lines = entries.map { pairs in
        "  - { " + pairs.map { "\($0.key): \(YAMLScalar.text($0.value))" }.joined(separator: ", ") + " }\n"
      }
      return """
        # The rooms. A name with braces is a range with a number for each room. A later entry changes one of its rooms:
        #   - { room: Room 313, wifi: none }
        rooms:
        \(lines.joined())
        """
    case .table(let file, let columns, let ignored):
      var text = """
        # The rooms, one per row. List rooms that are not in the table under `rooms`.
        rooms_from:
          file: \(YAMLScalar.text(file))

        """
      if !columns.isEmpty {
        let list = columns.map { "\($0.key): \(YAMLScalar.text($0.value))" }.joined(separator: ", ")
        text += "  # The column for each key.\n  columns: { \(list) }\n"
      }
      if !ignored.isEmpty {
        text +=
          "  # Columns to ignore.\n  ignore: [\(ignored.map(YAMLScalar.text).joined(separator: ", "))]\n"
      }
      return text
    }
  }
}
