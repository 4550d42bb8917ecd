import FoundationEssentials
package import Model

/// A plan in a file.
package enum SavedPlan {
  /// The maximum number of bytes of a plan. A plan of 2,000 rooms has less than one million.
  private static let longest = 64 << 20

  /// The keys that every version of a plan has.
  private struct Version: Decodable {
    var schema: String
  }

  /// Reads the plan that `plan --save` wrote. Its passwords are compared later, when they are known.
  /// - Throws: `CommandFailure` when it cannot be read, or is of another building or manifest.
  package static func load(_ path: String, for source: ManifestSource) throws -> ApplyPlan {
    let bytes = try InputFile.read(
      path, atMost: longest, ifMissing: "Make it with `roboprov plan … --save \(path)`."
    ).bytes
    let data = Data(bytes)
    if let version = try? JSONDecoder().decode(Version.self, from: data).schema,
      version.hasPrefix("roboprov/plan/"), version != ApplyPlan.schema
    {
      throw CommandFailure(
        .manifest,
        "\(path) is not a plan of this version of roboprov: it is \(version), and this version reads \(ApplyPlan.schema)",
        advice: "Run `roboprov plan … --save FILE` again, and look at the new plan.")
    }
    guard let plan = try? JSONDecoder().decode(ApplyPlan.self, from: data), plan.schema == ApplyPlan.schema
    else {
      throw CommandFailure(
        .manifest, "\(path) is not a roboprov plan", advice: "Make one with `roboprov plan … --save FILE`.")
    }
    guard plan.building == source.building.id else {
      throw CommandFailure(
        .manifest, "\(path) is a plan of another building, \(plan.building.visible)",
        advice: "Name the plan of \(source.building.id).")
    }
    guard source.digest == plan.manifestSHA256 else { throw changed(path, "the manifest") }
    return plan
  }

  /// Checks that the passwords of a plan's rooms have not changed, as far as they can be compared.
  /// - Throws: `CommandFailure`.
  package static func requireSamePasswords(
    _ plan: ApplyPlan, _ path: String, in building: Building, _ seal: SecretSeal?
  ) throws {
    let selection = plan.selection
    let agrees = plan.passwords?.agrees(with: building.rooms.filter { selection.names($0.id) }, seal)
    guard agrees ?? true else { throw changed(path, "a password") }
  }

  private static func changed(_ path: String, _ what: String) -> CommandFailure {
    CommandFailure(
      .manifest, "\(what) has changed since \(path) was made",
      advice: "Run `roboprov plan … --save FILE` again, and look at the new plan.")
  }

  /// The plan as JSON, with the same text each time.
  package static func text(_ plan: ApplyPlan) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.text(of: plan) + "\n"
  }

  /// Writes a plan atomically.
  /// - Throws: `CommandFailure` when it cannot be written.
  package static func save(_ plan: ApplyPlan, to path: String) throws {
    try OutputFile.write(text(plan), to: path)
  }
}
