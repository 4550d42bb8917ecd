import Bluetooth
package import Model

extension PlannedSetting {
  /// Name and value, with the recorded value where it differs: `NAME 301 → 302`. For a secret only whether it changes; nil
  /// where that is not known.
  func words(_ titles: SettingTitles) -> String? {
    let title = titles.short(name)
    guard let value else { return change.map { "\(title) \($0.rawValue)" } }
    let new = "\(title) \(Self.shown(value))"
    guard change == .changed, let recorded else { return new }
    return "\(title) \(Self.shown(recorded)) → \(Self.shown(value))"
  }

  private static func shown(_ value: String) -> String {
    let isPlain =
      !value.isEmpty && !value.contains(",") && !value.contains("→") && !value.hasPrefix(" ")
      && !value.hasSuffix(" ")
    return isPlain ? value.visible : "“\(value.visible)”"
  }
}

extension [PlannedSetting] {
  /// What differs, old → new; of a secret only that it does: `minor 7 → 8, its WiFi password changed`.
  func words(_ titles: SettingTitles) -> String {
    map { setting in
      if setting.value != nil { return setting.words(titles) ?? titles.short(setting.name) }
      return "its \(titles.title(setting.name)) \(setting.change == .set ? "is new" : "changed")"
    }.joined(separator: ", ")
  }
}

extension PlannedStep {
  /// The settings that its device would get. The room name is left out where it is the name of the room.
  func writes(_ titles: SettingTitles) -> String {
    (settings ?? []).filter { $0.name != .roomName || $0.value != name || $0.change == .changed }
      .compactMap { $0.words(titles) }.joined(separator: ", ")
  }
}

extension PlannedStep.Action {
  /// The planned action for a room, in one or two words.
  var words: String {
    switch self {
    case .provision: "provision"
    case .done: "done"
    case .await: "scan for it"
    case .stop: "not possible"
    case .exclude: "excluded"
    }
  }
}

extension PlanDifference {
  /// A room and what differs, in one line.
  package func words(_ titles: SettingTitles) -> String {
    let name = (found ?? planned)?.name.visible ?? "?"
    switch (planned, found) {
    case (let planned?, let found?):
      let (old, new) = (Self.words(planned), Self.words(found))
      guard old == new else { return "\(name): planned \(old), now \(new)" }
      return
        "\(name): planned \(Self.values(planned, besides: found, titles)), now \(Self.values(found, besides: planned, titles))"
    case (nil, let found?): return "\(name): not in the plan, now \(Self.words(found))"
    case (let planned?, nil): return "\(name): planned \(Self.words(planned)), not in the manifest any more"
    case (nil, nil): return name
    }
  }

  private static func words(_ step: PlannedStep) -> String {
    let device = step.address.map { " \($0)" } ?? ""
    return "\(step.action.words)\(device)" + (step.reason.map { " (\($0.code.words))" } ?? "")
  }

  /// The settings of a step that differ from those of the other step.
  private static func values(
    _ step: PlannedStep, besides other: PlannedStep, _ titles: SettingTitles
  ) -> String {
    let others = (other.settings ?? []).map { PlannedSetting(name: $0.name, value: $0.value) }
    let values = (step.settings ?? []).map { PlannedSetting(name: $0.name, value: $0.value) }
      .filter { !others.contains($0) }.map { $0.words(titles) ?? titles.short($0.name) }
    return values.isEmpty ? "no such setting" : values.joined(separator: ", ")
  }
}

extension WantedRoom.Uncompared {
  /// That the passwords of some rooms were not compared, and how to compare them.
  package func sentence(of rooms: Int) -> String {
    switch self {
    case .otherKey:
      """
      The passwords of \(rooms.rooms) cannot be compared with the record: they were written with another site key. Name that \
      key with --site-key FILE.
      """
    case .unread:
      "The passwords of \(rooms.rooms) come from elsewhere and are not read here: `roboprov plan` compares them."
    }
  }
}
