import Bluetooth
public import Model

extension PlannedSetting {
  /// Name and value, old and new where the record knows the old: `minor 301 → 302`. Of a secret only whether it is another
  /// one than before; nil where that cannot be told.
  var words: String? {
    guard let value else { return change.map { "\(name.shortTitle) \($0.rawValue)" } }
    let new = "\(name.shortTitle) \(Self.shown(value))"
    guard change == .changed, let recorded else { return new }
    return "\(name.shortTitle) \(Self.shown(recorded)) → \(Self.shown(value))"
  }

  /// A value in a list of values.
  private static func shown(_ value: String) -> String {
    let isPlain =
      !value.isEmpty && !value.contains(",") && !value.contains("→") && !value.hasPrefix(" ")
      && !value.hasSuffix(" ")
    return isPlain ? value.visible : "“\(value.visible)”"
  }
}

extension PlannedStep {
  /// What its device would be given, in a few words. The name of the room stands beside it: it is repeated only where the
  /// device has another one.
  var writes: String {
    (settings ?? []).filter { $0.name != .roomName || $0.value != name || $0.change == .changed }
      .compactMap(\.words).joined(separator: ", ")
  }
}

extension PlanDifference {
  /// A room's name and what differs, in one line.
  public var words: String {
    let name = (found ?? planned)?.name.visible ?? "?"
    switch (planned, found) {
    case (let planned?, let found?):
      let (old, new) = (Self.words(planned), Self.words(found))
      guard old == new else { return "\(name): planned \(old), now \(new)" }
      return
        "\(name): planned \(Self.values(planned, besides: found)), now \(Self.values(found, besides: planned))"
    case (nil, let found?): return "\(name): not in the plan, now \(Self.words(found))"
    case (let planned?, nil): return "\(name): planned \(Self.words(planned)), not in the manifest any more"
    case (nil, nil): return name
    }
  }

  private static func words(_ step: PlannedStep) -> String {
    let device = step.address.map { " \($0)" } ?? ""
    return "\(step.action.rawValue)\(device)" + (step.reason.map { " (\($0.code.rawValue))" } ?? "")
  }

  /// The settings of a step that the other one does not have so.
  private static func values(_ step: PlannedStep, besides other: PlannedStep) -> String {
    let others = (other.settings ?? []).map { PlannedSetting(name: $0.name, value: $0.value) }
    let values = (step.settings ?? []).map { PlannedSetting(name: $0.name, value: $0.value) }
      .filter { !others.contains($0) }.map { $0.words ?? $0.name.shortTitle }
    return values.isEmpty ? "nothing of that" : values.joined(separator: ", ")
  }
}
